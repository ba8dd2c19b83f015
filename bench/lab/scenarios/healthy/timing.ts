import type { Scenario } from '../../scenario.js';
import { rayAnswers, rayFails } from '../../world/ray.js';
import {
  attempt,
  deny,
  integrated,
  patch,
  patience,
  runningEngine,
  STEADY,
  speakAfterwards,
} from '../parts.js';

/** Clocks, counters, resumes and ends; and kernel work with its tools. */
export const timingScenarios: readonly Scenario[] = [
  {
    name: 'resumed-after-a-night',
    kind: 'healthy',
    story:
      'A session is resumed: the bus ends eleven hours ago with failures and denials, then life goes on.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      const before = world.now;
      world.now -= 11 * 3600;
      for (let i = 0; i < 40; i += 1) {
        world.now += 300;
        world.tell(
          'heartbeat',
          { topic: 'heartbeat', body_md: 'ok' },
          { from: i % 2 === 0 ? 'orchestration' : 'critic' },
        );
        if (i % 6 === 5)
          deny(lab, 'orchestration', 'artifact_gate', 'patch_path is not a file', 'propose_action');
      }
      // The night before ended badly: the same task failed four times, which is why somebody resumed the session.
      for (let i = 0; i < 4; i += 1) {
        world.now += 200;
        world.result('explore', { grid: [{ name: 'v41' }] }, 'failed', { error: 'the node was drained' });
      }
      world.now = before;
      world.coordinator.tick = 88;
      world.shownSeq = world.bus.at(-1)?.seq ?? 0;
    },
  },
  {
    name: 'attached-late',
    kind: 'healthy',
    story:
      'Our agent is switched on in the eighth hour of a session: its bus has thousands of rows and old failures.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      const { coordinator } = world;
      const now = world.now;
      coordinator.startedAt = now - 8 * 3600;
      coordinator.tick = 131;
      coordinator.crashCount = 1;
      coordinator.stack.push('explore:v3');
      coordinator.gainPct = 4.4;
      world.now = coordinator.startedAt;
      for (let i = 0; i < 2600; i += 1) {
        world.now += 10;
        const from = i % 3 === 0 ? 'orchestration' : i % 3 === 1 ? 'critic' : 'specialist:a1';
        world.tell('observation', { body_md: `note ${i}` }, { from });
        if (i % 700 === 350)
          world.result('explore', { grid: [{ name: `old${i}` }] }, 'failed', { error: 'exit code 1' });
      }
      world.now = now - 400;
      world.result('explore', { grid: [{ name: 'v9' }] }, 'succeeded');
      world.now = now;
      world.shownSeq = world.bus.at(-1)?.seq ?? 0;
    },
  },
  {
    name: 'two-hour-actions',
    kind: 'healthy',
    story: 'Every action takes up to two hours and blocks the tick loop; our agent looks eight times a day.',
    hours: 14,
    life: { phase: 'EXPLORE', luck: 0.7, budgetMinutes: 2880 },
    plan: (lab) => {
      lab.eachMinute(() => {
        const { job } = lab.life;
        if (job !== null) job.endsAt = Math.max(job.endsAt, job.task.startedAt + 117 * 60);
      });
    },
  },
  {
    name: 'closing-takes-its-time',
    kind: 'healthy',
    story: 'The report is written half an hour past the deadline, in the closing phase, as it may be.',
    hours: 3.2,
    life: { ...STEADY, budgetMinutes: 150 },
    plan: (lab) => {
      patience(lab);
      const { coordinator } = lab.world;
      coordinator.stack.push('explore:v3');
      coordinator.gainPct = 4.9;
      lab.at(120, () => {
        coordinator.closing = true;
        coordinator.phase = 'CLOSE';
        lab.life.proposes = false;
        lab.world.tell('event', { kind: 'closing_phase_entered' });
      });
      lab.at(181, () => {
        coordinator.stopReason = 'deadline';
        lab.world.writeState();
      });
    },
  },
  {
    name: 'tick-counter-goes-back',
    kind: 'healthy',
    story: 'The Coordinator restarts from an older state: the tick counter drops by forty.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.coordinator.tick = 60;
      lab.at(150, () => {
        lab.world.coordinator.tick = 20;
        lab.world.coordinator.lastProgressTick = 20;
        lab.world.coordinatorProcess = {
          ...lab.world.coordinatorProcess,
          recorded_pid: lab.world.newPid(),
          started_unix: lab.world.now,
        };
      });
    },
  },
  {
    name: 'clock-steps-forward',
    kind: 'healthy',
    story: 'The clock of the node is set forward by forty minutes while a task runs.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.at(130, () => {
        lab.world.now += 40 * 60;
        if (lab.life.job !== null) lab.life.job.endsAt += 40 * 60;
      });
    },
  },
  {
    name: 'clock-steps-back',
    kind: 'healthy',
    story: 'The clock of the node was ahead and is set back by a quarter of an hour.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      lab.at(125, () => {
        lab.world.now -= 15 * 60;
      });
    },
  },
  {
    name: 'a-loop-between-ticks',
    kind: 'healthy',
    story:
      'A loop of ours looks every minute or two; the tick counter of the session stands still for many looks.',
    hours: 4,
    life: { ...STEADY, pause: [1, 2] },
    plan: (lab) => {
      runningEngine(lab);
      const { coordinator } = lab.world;
      let shown = 1;
      lab.eachTick(() => {
        if (lab.random.chance(0.1)) shown += 1;
        coordinator.tick = shown;
        coordinator.lastProgressTick = shown;
        coordinator.ticksWithoutProgress = 0;
      });
    },
  },
  {
    name: 'mock-critic',
    kind: 'healthy',
    story: 'The critic is a mock that approves everything, and its knowledge base is switched off.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      lab.eachTick(() => {
        lab.world.judges = lab.world.judges.map((judge) => ({
          ...judge,
          emit_source: 'mock',
          kb_read_skipped_reason: 'kb_read_disabled',
        }));
      });
    },
  },
  {
    name: 'suspended-for-two-hours',
    kind: 'healthy',
    story: 'The whole node is frozen for two hours and goes on as if nothing had been.',
    hours: 6,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.at(140, () => {
        lab.world.now += 7200;
        if (lab.life.job !== null) lab.life.job.endsAt += 7200;
      });
    },
  },
  {
    name: 'closing-in-time',
    kind: 'healthy',
    story: 'The closing phase begins, validates and reports; then the session stops by itself.',
    hours: 2.3,
    life: { ...STEADY, budgetMinutes: 150 },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const { coordinator } = lab.world;
      coordinator.stack.push('explore:v3');
      coordinator.gainPct = 4.9;
      lab.at(112, () => {
        coordinator.closing = true;
        coordinator.phase = 'CLOSE';
        lab.life.proposes = false;
        lab.world.tell('event', { kind: 'closing_phase_entered' });
      });
      lab.at(131, () => {
        coordinator.stopReason = 'deadline';
        lab.world.writeState();
      });
    },
  },
  {
    name: 'stopped-by-target',
    kind: 'healthy',
    story: 'The goal is reached after two hours; the session stops and its process goes.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.at(120, () => {
        const { world } = lab;
        world.coordinator.stopReason = 'target_reached';
        world.coordinator.gainPct = 12.4;
        lab.life.proposes = false;
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
        lab.life.stopServer();
        world.writeState();
        world.coordinatorProcess = { ...world.coordinatorProcess, alive: false, identity_source: 'lock' };
      });
    },
  },
  {
    name: 'budget-with-a-bad-start',
    kind: 'healthy',
    story: 'Four hours, of which the first one goes into loading; the gain comes in the third.',
    hours: 3.4,
    life: { budgetMinutes: 240, firstLoad: [44, 55], luck: 0.75, cadence: 'steady', pause: [4, 8] },
    plan: patience,
  },
  {
    name: 'kernel-tools-at-work',
    kind: 'healthy',
    story: 'Kernel attempts of several backends: most without effect, some kept with a clear gain.',
    hours: 8,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      const attempts = [
        attempt(lab, {
          kernel_id: 'rope_inplace',
          report_text: 'select_patch: best 1.31x',
          microbench_speedup: 1.31,
        }),
      ];
      patch(lab, 'local_decision_audit', {
        oob_attempts: attempts,
        recent_integrate: [
          integrated(lab, { kernel_id: 'rope_inplace', gain_pct: 1.7 }),
          integrated(lab, { kernel_id: 'topk_gate', decision: 'REVERT', gain_pct: -0.6 }),
          integrated(lab, { kernel_id: 'silu_mul', decision: 'PARTIAL', gain_pct: 0.4 }),
        ],
      });
      lab.every(50, 30, 480, () => {
        const kernel = `k_${lab.random.hex(4)}`;
        attempts.push(
          attempt(lab, {
            kernel_id: kernel,
            backend: lab.random.pick(['geak', 'forge']),
            report_text: 'no candidate beat the reference',
            microbench_speedup: 1.02,
          }),
        );
        if (attempts.length % 3 === 0)
          attempts.push(
            attempt(lab, {
              kernel_id: kernel,
              report_text: 'select_patch: best 1.44x',
              microbench_speedup: 1.44,
            }),
          );
        patch(lab, 'local_decision_audit', { oob_attempts: [...attempts].slice(-50) });
      });
    },
  },
  {
    name: 'ray-under-load',
    kind: 'healthy',
    story: 'Ray always has a few tasks waiting; they are served in turn.',
    hours: 6,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      lab.eachTick(() => {
        const waiting = lab.random.whole(0, 9);
        lab.world.ray = rayAnswers(
          ...(waiting === 0 ? [] : [`{'CPU': 2.0}: ${waiting}+ pending tasks/actors`]),
        );
      });
    },
  },
  {
    name: 'ray-without-a-cluster',
    kind: 'healthy',
    story: 'Ray is installed and nobody has started a cluster; `ray status` fails at every look.',
    hours: 5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      lab.world.ray = rayFails(
        'Traceback (most recent call last):',
        '  File "/opt/venv/bin/ray", line 8, in <module>',
        'ConnectionError: Could not find any running Ray instance. Please specify the one to connect to.',
      );
    },
  },
  {
    name: 'profile-with-a-wide-field',
    kind: 'healthy',
    story: 'A profile in which a third of the time can be worked on; complete CI metrics.',
    hours: 5,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      lab.world.slots.local_kernel_breakdown = {
        tier_pcts: { triton: 31.7, vendor: 52.2, comm: 12.9, other: 3.2 },
        total_kernels: 212,
        total_gpu_pct: 99.1,
        kernel_breakdown_path: 'profiles/kernel_breakdown.json',
        mtime: lab.world.now - 300,
      };
      patch(lab, 'local_decision_audit', {
        ci_metrics_path: 'ci_metrics.json',
        ci_metrics_mtime: lab.world.now - 500,
        ci_metrics: {
          baseline_tok_per_gpu: 312.4,
          optimized_tok_per_gpu: 333.2,
          gain_pct: 6.66,
          framework: 'sglang',
          gpu: 'mi300x',
          model: 'Granite-Delta-40B',
          tp: 8,
          kernels_optimized: 2,
          optimized_kernel_delta_pct: 3.1,
        },
      });
    },
  },
  {
    name: 'multi-node-without-probe',
    kind: 'healthy',
    story: 'A run on several nodes; nothing of this machine is looked at.',
    hours: 6,
    life: STEADY,
    options: { disable_local_probe: true, progress_no_levers_min_minutes: 60 },
    plan: (lab) => {
      patience(lab);
      for (const name of [
        'gpu',
        'processes',
        'health',
        'disk',
        'memory',
        'kernel',
        'shm',
        'ray',
        'fd',
        'aiter',
      ] as const)
        lab.world.blind.set(name, 'skipped');
    },
  },
  {
    name: 'quiet-work-reports',
    kind: 'healthy',
    story: 'The orchestration waits in silence for asynchronous kernel work that reports every minute.',
    hours: 5,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    plan: (lab) => {
      patience(lab);
      lab.at(60, () => {
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
        lab.life.begin({
          kind: 'kernel_opt',
          params: { kernel_id: 'gate_up_proj' },
          minutes: 230,
          serves: false,
          isAsync: true,
        });
      });
      speakAfterwards(lab);
    },
  },
];
