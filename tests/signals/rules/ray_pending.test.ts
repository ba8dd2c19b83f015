import type { JsonObject } from '../../../src/foreign/json.js';
import { rayPending } from '../../../src/signals/rules/ray_pending.js';
import { type Step, testRule } from '../../support/rule-tester.js';

const starved = 'ray_pending_starvation';
/** The clock and the fall do not matter in these; they have tests of their own. */
const byCountAlone = { kernel_pipeline_min_pending_minutes: 0, kernel_pipeline_pending_may_fall: true };

function pending(value: number | undefined, step: Partial<Step> = {}): Step {
  const ray = value === undefined ? {} : { healthy: true, pending_tasks: value };
  return { snapshot: { local_ray: ray }, symptoms: [], ...step };
}

function at(minutes: number, tick = 0): Pick<Step, 'context'> {
  return { context: { now_unix: 100_000 + minutes * 60, shared_state: { tick } } };
}

function fires(evidenceWith: JsonObject): Pick<Step, 'symptoms'> {
  return { symptoms: [{ name: starved, severity: 'high', subject: {}, evidenceWith }] };
}

testRule(rayPending, {
  valid: [
    { why: 'Ray said nothing: that is not known', snapshot: { local_ray: {} }, undecided: [starved] },
    {
      why: 'one waiting task is normal',
      snapshot: { local_ray: { healthy: true, pending_tasks: 1 } },
      undecided: [],
    },
    {
      why: 'a dead head is another matter',
      snapshot: { local_ray: { healthy: false, pending_tasks: 9 } },
      undecided: [],
    },
    {
      why: 'one evaluation proves nothing',
      snapshot: { local_ray: { healthy: true, pending_tasks: 50 } },
      stateWith: { consecutive_hits: 1, last_pending: 50 },
    },
    {
      why: 'a count as text',
      snapshot: { local_ray: { healthy: true, pending_tasks: '9' } },
      stateWith: { consecutive_hits: 0 },
    },
  ],
  invalid: [
    {
      why: 'numbers in the slot may be text, fractions and worse',
      state: { consecutive_hits: '2', last_pending: 'x', first_hit_unix: 100 },
      snapshot: { local_ray: { healthy: true, pending_tasks: 3 } },
      symptoms: [
        {
          name: starved,
          severity: 'high',
          source: 'local',
          evidence: { pending_tasks: 3, consecutive_ticks: 3, threshold: 3, pending_seconds: 9900 },
          summaryMentions: ['3 Ray requests', '3 evaluations', 'limit 3', 'wedged'],
          suggestionMentions: ['kernel_opt', 'concurrency'],
        },
      ],
    },
  ],
  sequences: [
    {
      why: 'three evaluations in a row, and every one after',
      config: byCountAlone,
      steps: [
        pending(2, { stateWith: { consecutive_hits: 1, last_pending: 2 } }),
        pending(5, { stateWith: { consecutive_hits: 2 } }),
        pending(1, { stateWith: { consecutive_hits: 0, last_pending: 0, first_hit_unix: null } }),
        pending(9, { stateWith: { consecutive_hits: 1 } }),
        pending(9),
        pending(9, fires({ pending_tasks: 9, consecutive_ticks: 3, threshold: 3 })),
        pending(4, fires({ pending_tasks: 4, consecutive_ticks: 4 })),
      ],
    },
    {
      why: 'a look that failed neither advances nor ends it',
      config: byCountAlone,
      steps: [
        pending(9),
        pending(9),
        pending(undefined, { undecided: [starved], stateWith: { consecutive_hits: 2, last_pending: 9 } }),
        pending(9, { ...fires({ consecutive_ticks: 3 }), stateWith: { unknown_streak: 0 } }),
      ],
    },
    {
      why: 'four failed looks in a row end it',
      config: byCountAlone,
      steps: [
        pending(9),
        pending(9),
        pending(undefined),
        pending(undefined),
        pending(undefined, { stateWith: { consecutive_hits: 2 } }),
        pending(undefined, { stateWith: { consecutive_hits: 0, first_hit_unix: null } }),
        pending(9, { stateWith: { consecutive_hits: 1 } }),
      ],
    },
    {
      why: 'a dead head ends it',
      config: byCountAlone,
      steps: [
        pending(9),
        pending(9),
        {
          snapshot: { local_ray: { healthy: false } },
          symptoms: [],
          stateWith: { consecutive_hits: 0, last_pending: 9 },
        },
        pending(9),
      ],
    },
    {
      why: 'by default fewer waiting tasks than before are progress',
      config: { kernel_pipeline_min_pending_minutes: 0 },
      steps: [
        pending(9),
        pending(9),
        pending(8, { stateWith: { consecutive_hits: 1 } }),
        pending(8),
        pending(8, fires({ consecutive_ticks: 3 })),
        pending(9, fires({ consecutive_ticks: 4 })),
      ],
    },
    {
      why: 'no streak, no fall: a repeated tick does not begin one',
      state: { consecutive_hits: 0, last_pending: 9, last_tick: 8 },
      steps: [pending(5, { ...at(0, 8), stateWith: { consecutive_hits: 0 } })],
    },
    {
      why: 'by default it must also last three quarters of an hour: a busy cluster often shows three rising counts in a row',
      steps: [
        pending(9, { ...at(0), stateWith: { first_hit_unix: 100_000 } }),
        pending(9, at(3)),
        pending(9, at(16)),
        pending(9, at(44.9)),
        pending(9, { ...at(45), ...fires({ consecutive_ticks: 5, pending_seconds: 2700 }) }),
      ],
    },
    {
      why: 'a repeated tick is not counted twice, and still says what holds',
      config: byCountAlone,
      steps: [
        pending(9, at(0, 7)),
        pending(9, at(1, 8)),
        pending(9, { ...at(2, 8), stateWith: { consecutive_hits: 2 } }),
        pending(9, { ...at(3, 9), ...fires({ consecutive_ticks: 3 }) }),
        pending(9, { ...at(4, 9), ...fires({ consecutive_ticks: 3 }) }),
        pending(1, { ...at(5, 9), stateWith: { consecutive_hits: 0 } }),
        pending(9, { ...at(6, 9), stateWith: { consecutive_hits: 0, first_hit_unix: null } }),
        pending(9, { ...at(7, 3), stateWith: { consecutive_hits: 1 } }),
      ],
    },
    {
      why: 'placement groups wait like tasks',
      config: { ...byCountAlone, kernel_pipeline_min_pending_ticks: 1 },
      steps: [
        {
          snapshot: { local_ray: { healthy: true, pending_tasks: 1, pending_placement_groups: 1 } },
          symptoms: [
            {
              name: starved,
              evidenceWith: { pending_tasks: 1, pending_placement_groups: 1 },
              summaryMentions: ['2 Ray requests', '1 of them placement groups'],
            },
          ],
        },
      ],
    },
    {
      why: 'the clock went back: the streak starts anew in time',
      config: { kernel_pipeline_min_pending_ticks: 1 },
      steps: [
        pending(9, { ...at(100), stateWith: { first_hit_unix: 106_000 } }),
        pending(9, { ...at(0), stateWith: { first_hit_unix: 100_000 } }),
        pending(9, { ...at(45), ...fires({ pending_seconds: 2700 }) }),
      ],
    },
    {
      why: 'negative and nested counters are none',
      state: { consecutive_hits: -5, last_pending: [1], unknown_streak: {}, last_tick: null },
      config: byCountAlone,
      steps: [pending(9, { stateWith: { consecutive_hits: 1 } })],
    },
  ],
});
