import type { Scenario } from '../../scenario.js';
import { patience, STEADY } from '../parts.js';

/** Sessions in which nothing special happens, in every cadence and length. */
export const ordinaryScenarios: readonly Scenario[] = [
  {
    name: 'ordinary-day',
    kind: 'healthy',
    story: 'A session of many hours: baseline, exploration, kernels, gains now and then.',
    hours: 12,
    plan: () => {},
  },
  {
    name: 'vllm-day',
    kind: 'healthy',
    story: 'The same on another engine, with longer pauses between turns.',
    hours: 10,
    life: { engine: 'vllm', pause: [2, 9] },
    plan: () => {},
  },
  {
    name: 'steady-watch',
    kind: 'healthy',
    story: 'Something looks every few minutes while the work goes on.',
    hours: 8,
    life: { cadence: 'steady', pause: [2, 6] },
    plan: patience,
  },
  {
    name: 'kernel-day',
    kind: 'healthy',
    story: 'Hours of kernel work: slow, mostly without effect, sometimes a gain.',
    hours: 10,
    life: { phase: 'KERNEL_AGENT', luck: 0.6 },
    plan: (lab) => {
      lab.world.coordinator.stack.push('explore:v7');
      lab.world.coordinator.gainPct = 3.1;
    },
  },
  {
    name: 'slow-finds',
    kind: 'healthy',
    story:
      'Every variant takes its time, and only one in four brings anything; that is what exploring is like.',
    hours: 10,
    life: { phase: 'EXPLORE', luck: 0.28 },
    plan: () => {},
  },
  {
    name: 'quick-ticks',
    kind: 'healthy',
    story: 'Turns within seconds while agents discuss before anything runs.',
    hours: 2,
    life: { pause: [0.2, 0.9], luck: 0.8 },
    plan: patience,
  },
  {
    name: 'thinking-model',
    kind: 'healthy',
    story: 'The language model of the orchestration takes minutes for an answer.',
    hours: 6,
    life: { pause: [4, 14] },
    plan: () => {},
  },
  {
    name: 'two-hours-in-all',
    kind: 'healthy',
    story: 'A budget of two hours, used well and to the end.',
    hours: 1.9,
    life: { budgetMinutes: 120, phase: 'EXPLORE', luck: 0.9, pause: [1, 3] },
    plan: (lab) => {
      lab.world.coordinator.stack.push('explore:warm');
      lab.world.coordinator.gainPct = 1.4;
    },
  },
  {
    name: 'half-an-hour-in-all',
    kind: 'healthy',
    story: 'A budget of 35 minutes, mostly a check that everything works.',
    hours: 0.45,
    life: { budgetMinutes: 35, phase: 'EXPLORE', luck: 0.9, pause: [1, 2] },
    plan: (lab) => {
      lab.world.coordinator.stack.push('explore:warm');
      lab.world.coordinator.gainPct = 2.2;
    },
  },
  {
    name: 'no-deadline',
    kind: 'healthy',
    story: 'A run without a wall-clock budget; the prompt has no such block.',
    hours: 9,
    life: { budgetMinutes: 0 },
    plan: () => {},
  },
  {
    name: 'two-days-in',
    kind: 'healthy',
    story: 'The third day of a long run: eleven crashes since the start, all long ago.',
    hours: 10,
    life: { ...STEADY, budgetMinutes: 4320, pause: [8, 25] },
    plan: (lab) => {
      patience(lab);
      const { coordinator } = lab.world;
      coordinator.startedAt -= 50 * 3600;
      coordinator.tick = 412;
      coordinator.stack.push('explore:a', 'integrate:b');
      coordinator.gainPct = 6.7;
      coordinator.crashCount = 11;
    },
  },
  {
    name: 'phase-to-its-cap',
    kind: 'healthy',
    story: 'The exploration uses all of its time; the Coordinator moves on by itself.',
    hours: 5,
    life: { budgetMinutes: 600, phase: 'EXPLORE' },
    plan: (lab) => {
      const row = lab.world.coordinator.phases[0];
      if (row !== undefined) row.elapsedS = 90 * 60;
    },
  },
];
