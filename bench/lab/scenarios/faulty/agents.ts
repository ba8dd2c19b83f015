import type { Scenario } from '../../scenario.js';
import { deny, patience, runningEngine, STEADY, someMinute } from '../parts.js';

const TALK = ['agent_stall', 'conversation_no_progress', 'gain_plateau', 'no_levers_found'];

/** Agents that fall silent, run in circles or are turned away. */
export const agentFaults: readonly Scenario[] = [
  {
    name: 'orchestration-silent',
    kind: 'faulty',
    story: 'The orchestration says nothing any more and nothing of its runs.',
    hours: 3,
    life: STEADY,
    unseen: { agent_stall: 'Reading the roofline of layer 31 once more' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        lab.life.speaks.orchestration = false;
      });
      lab.at(from, () => {
        lab.life.halt();
        const body_md = 'Reading the roofline of layer 31 once more before I choose.';
        lab.world.tell('observation', { body_md }, { from: 'orchestration' });
      });
      lab.fault({
        cause: 'the turn of the orchestration never ends',
        from,
        visibleAfter: 9,
        right: ['agent_stall:orchestration'],
        company: TALK,
      });
    },
  },
  {
    name: 'critic-leaves-proposals-waiting',
    kind: 'faulty',
    story: 'The critic answers no proposal any more; the orchestration goes on proposing.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute >= from) lab.life.speaks.critic = false;
      });
      lab.fault({
        cause: 'the critic hangs',
        from,
        visibleAfter: 45,
        right: ['agent_stall:critic'],
        company: TALK,
      });
    },
  },
  {
    name: 'silent-but-its-work-reports',
    kind: 'faulty',
    story:
      'The orchestration hangs while a task of its own goes on and reports: nothing to accuse yet, worth a remark.',
    hours: 3,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    unseen: { agent_quiet_work_progressing: 'tile search 7 of 19 on kv_dequant_rope' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.speaks.orchestration = false;
        const task = lab.life.begin({
          kind: 'kernel_opt',
          params: { kernel_id: 'kv_dequant_rope' },
          minutes: 200,
          serves: false,
          isAsync: true,
        });
        task.label = 'tile search 7 of 19 on kv_dequant_rope';
      });
      lab.fault({
        cause: 'the orchestration waits in silence',
        from,
        visibleAfter: 9,
        right: ['agent_quiet_work_progressing:orchestration'],
        severity: 'low',
      });
    },
  },
  {
    name: 'crashes-pile-up',
    kind: 'faulty',
    story: 'Actions crash every quarter of an hour, eleven in all.',
    hours: 4.5,
    life: STEADY,
    unseen: {
      crash_count_rising: 'worker 5 left with code -7 while capturing',
      crash_count_high: 'worker 5 left with code -7 while capturing',
      crash_count_emergency: 'worker 5 left with code -7 while capturing',
    },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 50);
      for (let i = 0; i < 11; i += 1) {
        lab.at(from + i * 14, () => {
          lab.world.coordinator.crashCount += 1;
          lab.world.coordinator.lastFailures =
            '[explore/server_crash] worker 5 left with code -7 while capturing bs=96';
        });
      }
      lab.fault({
        cause: 'every launch crashes',
        from,
        visibleAfter: 14,
        right: ['crash_count_rising', 'crash_count_high', 'crash_count_emergency'],
        company: ['repeated_failure'],
      });
    },
  },
  {
    name: 'denied-for-many-reasons',
    kind: 'faulty',
    story: 'Within half an hour five intents of the orchestration are denied, each under another rule.',
    hours: 3,
    life: STEADY,
    unseen: { repeated_policy_denied: 'integrate must follow a kernel kept in this cycle' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      const refusals = [
        ['lane_conflict', 'server_lifecycle is taken until the sweep ends'],
        ['requires_review', 'nobody has reviewed proposal 5c0de11a'],
        ['phase_gate', 'integrate must follow a kernel kept in this cycle'],
        ['unknown_family', 'no family is called conc-sweep, did you mean conc_sweep'],
        ['params_schema', 'grid[0].flags is a list where one string was expected'],
      ] as const;
      for (const [i, [rule, reason]] of refusals.entries())
        lab.at(from + i * 6, () => deny(lab, 'orchestration', rule, reason));
      lab.fault({
        cause: 'the orchestration works from an outdated catalogue',
        from,
        until: from + 40,
        visibleAfter: 12,
        right: ['repeated_policy_denied:orchestration'],
        company: ['denial_streak'],
      });
    },
  },
  {
    name: 'the-same-denial-again-and-again',
    kind: 'faulty',
    story: 'A placeholder path is refused, and asked for again, eighteen times.',
    hours: 3,
    life: STEADY,
    unseen: { denial_streak: "patch_path '<fill me in" },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.life.proposes = true;
      lab.eachTick(() => {
        if (lab.minute < from) return;
        lab.life.proposes = false;
        for (let i = 0; i < 2; i += 1)
          deny(
            lab,
            'orchestration',
            'artifact_gate',
            `patch_path '<fill me in ${lab.random.hex(8)}>' is not a file`,
            'propose_action',
          );
      });
      lab.fault({
        cause: 'a placeholder was never filled in',
        from,
        visibleAfter: 14,
        right: ['denial_streak', 'repeated_policy_denied:orchestration'],
        company: TALK,
      });
    },
  },
  {
    name: 'one-family-keeps-failing',
    kind: 'faulty',
    story: 'No exploration starts any more, whatever its parameters: the framework is broken.',
    hours: 5,
    life: { phase: 'EXPLORE', luck: 1, laterLoad: [2, 4] },
    unseen: { repeated_failure: "ImportError: cannot import name 'fused_moe_" },
    plan: (lab) => {
      const from = someMinute(lab, 60, 90);
      lab.life.verdict = () =>
        lab.minute >= from ? `ImportError: cannot import name 'fused_moe_${lab.random.hex(3)}'` : null;
      lab.fault({
        cause: 'an update broke the framework',
        from,
        visibleAfter: 110,
        right: ['repeated_failure:explore'],
        company: TALK,
        destructive: ['prune:explore'],
      });
    },
  },
  {
    name: 'the-same-payload-again',
    kind: 'faulty',
    story: 'The same integration is retried with nothing but a new key, and fails each time.',
    hours: 4,
    life: STEADY,
    isLive: true,
    unseen: { same_payload_loop: 'patch does not apply: 3 of 7 hunks' },
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      for (let i = 0; i < 6; i += 1) {
        lab.at(from + i * 12, () =>
          lab.world.result(
            'integrate',
            { kernel_id: 'qk_rope', patch_path: 'patches/qk_rope.diff' },
            'failed',
            { error: 'patch does not apply: 3 of 7 hunks' },
          ),
        );
      }
      lab.fault({
        cause: 'a patch that does not apply',
        from,
        until: from + 75,
        visibleAfter: 24,
        right: ['same_payload_loop:integrate'],
        company: ['repeated_failure:integrate'],
        severity: 'high',
        destructive: ['prune:integrate'],
      });
    },
  },
  {
    name: 'success-that-is-none',
    kind: 'faulty',
    story: 'Tasks succeed for the Coordinator while their own verdict is an error.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      for (let i = 0; i < 5; i += 1) {
        lab.at(from + i * 15, () =>
          lab.world.result('roofline', { kernel: `k${i}` }, 'succeeded', {
            result: { status: 'error', error: 'counter file is empty' },
          }),
        );
      }
      lab.fault({
        cause: 'the profiler writes empty files',
        from,
        until: from + 70,
        visibleAfter: 30,
        right: ['repeated_failure:roofline', 'same_payload_loop:roofline'],
        destructive: ['prune:roofline'],
      });
    },
  },
  {
    name: 'success-in-name-only',
    kind: 'faulty',
    story: 'The same in words of another tool: an exit code and an outcome instead of a status.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      for (let i = 0; i < 5; i += 1) {
        lab.at(from + i * 15, () =>
          lab.world.result('roofline', { kernel: `k${i}` }, 'succeeded', {
            result: { outcome: 'aborted', exit_code: 137, rows_written: 0 },
          }),
        );
      }
      lab.fault({
        cause: 'the profiler is ended before it writes',
        from,
        until: from + 70,
        visibleAfter: 30,
        right: ['repeated_failure:roofline', 'same_payload_loop:roofline'],
        destructive: ['prune:roofline'],
      });
    },
  },
  {
    name: 'success-with-a-negative-code',
    kind: 'faulty',
    story: 'The same in words of a third tool: only the code of a signal tells that it was ended.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      for (let i = 0; i < 5; i += 1) {
        lab.at(from + i * 15, () =>
          lab.world.result('roofline', { kernel: `k${i}` }, 'succeeded', {
            result: { rc: -9, artifacts: [], note: 'no counters were read' },
          }),
        );
      }
      lab.fault({
        cause: 'the profiler is ended before it writes',
        from,
        until: from + 70,
        visibleAfter: 30,
        right: ['repeated_failure:roofline', 'same_payload_loop:roofline'],
        destructive: ['prune:roofline'],
      });
    },
  },
  {
    name: 'denied-with-another-path-each-time',
    kind: 'faulty',
    story:
      'One intent is refused twelve times because its file does not exist; each time it names another one.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      for (let i = 0; i < 12; i += 1) {
        lab.at(from + i * 3, () =>
          deny(
            lab,
            'orchestration',
            'artifact_gate',
            `patch_path ${lab.world.sessionDir}/patches/${lab.random.pick(['rope', 'topk', 'silu', 'moe'])}_${lab.random.hex(4)}.diff: no such file`,
            'propose_action',
          ),
        );
      }
      lab.fault({
        cause: 'the patches are written somewhere else',
        from,
        until: from + 50,
        visibleAfter: 9,
        right: ['denial_streak', 'repeated_policy_denied:orchestration'],
        company: TALK,
      });
    },
  },
  {
    name: 'recover-that-did-not-help',
    kind: 'faulty',
    story: 'A recover ends in review: the memory of the GPUs does not come back.',
    hours: 3,
    life: STEADY,
    unseen: { recover_unsuccessful: '1473' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () =>
        lab.world.result('recover', { reason: 'gpu_memory_leaked' }, 'succeeded', {
          result: {
            state: 'needs_review',
            error_class: 'vram_still_held',
            force_gpu_cleanup: true,
            mid_free_mb_per_gpu: [1473, 1466],
          },
        }),
      );
      lab.fault({
        cause: 'memory held by the driver',
        from,
        right: ['recover_unsuccessful'],
        company: ['gpu_memory_leaked', 'repeated_failure:recover'],
        severity: 'high',
      });
    },
  },
  {
    name: 'fresh-keys-for-one-proposal',
    kind: 'faulty',
    story: 'One proposal is sent three times within a turn, each time under another key.',
    hours: 3,
    life: STEADY,
    unseen: { idempotency_replay: '[3, 11, 29]' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        for (let i = 0; i < 3; i += 1) {
          lab.world.tell(
            'proposal',
            {
              action_name: 'conc_sweep',
              params: { concs: [3, 11, 29] },
              idempotency_key: lab.random.hex(12),
              needs_review: true,
            },
            { from: 'orchestration' },
          );
        }
      });
      lab.fault({
        cause: 'the proposer makes up keys',
        from,
        until: from + 10,
        right: ['idempotency_replay:conc_sweep'],
        company: ['agent_stall:critic'],
      });
    },
  },
  {
    name: 'talk-without-progress',
    kind: 'faulty',
    story: 'The agents talk for twenty turns and nothing comes of it; the Coordinator says so itself.',
    hours: 4,
    life: { ...STEADY, luck: 0 },
    unseen: { conversation_no_progress: 'I wait until the critic has told me which of the two' },
    plan: (lab) => {
      lab.life.proposes = false;
      lab.eachTick(() => {
        const body_md = 'I wait until the critic has told me which of the two is safer.';
        lab.world.tell('observation', { body_md }, { from: 'orchestration', to: 'critic', ago: 15 });
      });
      lab.fault({
        cause: 'the agents wait for each other',
        from: 0,
        visibleAfter: 105,
        right: ['conversation_no_progress'],
        company: TALK,
        severity: 'high',
      });
    },
  },
  {
    name: 'nothing-gained-any-more',
    kind: 'faulty',
    story: 'After early gains ten hours bring nothing more.',
    hours: 14,
    life: { phase: 'EXPLORE', luck: 1 },
    unseen: { gain_plateau: '31.37' },
    plan: (lab) => {
      lab.at(150, () => {
        lab.life.verdict = () => null;
        const { coordinator } = lab.world;
        const gain = 31.37;
        const { length } = coordinator.stack;
        lab.eachTick(() => {
          coordinator.gainPct = gain;
          coordinator.stack.length = length;
        });
      });
      lab.fault({
        cause: 'the search space is exhausted',
        from: 150,
        visibleAfter: 480,
        right: ['gain_plateau'],
        company: ['conversation_no_progress', 'phase_budget_nearly_exhausted'],
      });
    },
  },
  {
    name: 'nothing-found-at-all',
    kind: 'faulty',
    story: 'Eleven hours of exploring and kernels without a single gain.',
    hours: 13,
    life: { phase: 'EXPLORE', luck: 0 },
    unseen: { no_levers_found: 'decision=rejected (throughput unchanged within' },
    plan: (lab) => {
      lab.eachTick(() => {
        const { coordinator } = lab.world;
        if (coordinator.lastExplore !== '(none)')
          coordinator.lastExplore = 'status=succeeded decision=rejected (throughput unchanged within 0.2 %)';
      });
      lab.fault({
        cause: 'nothing that is tried helps this model',
        from: 30,
        visibleAfter: 480,
        right: ['no_levers_found', 'budget_strategy_drift', 'conversation_no_progress'],
        company: ['conversation_no_progress', 'budget_burn_no_gain', 'phase_budget_nearly_exhausted'],
      });
    },
  },
  {
    name: 'nothing-found-in-a-short-run',
    kind: 'faulty',
    story: 'Three hours, nothing gained; three quarters of the budget are gone.',
    hours: 2.9,
    life: { phase: 'EXPLORE', luck: 0, budgetMinutes: 187, pause: [1, 3] },
    unseen: { budget_strategy_drift: 'budget=187min', budget_burn_no_gain: 'budget=187min' },
    plan: (lab) => {
      lab.fault({
        cause: 'the run will end without a result',
        from: 20,
        visibleAfter: 72,
        right: [
          'budget_strategy_drift',
          'budget_burn_no_gain',
          'no_levers_found',
          'deadline_imminent',
          'deadline_warning',
        ],
        company: ['deadline_warning', 'deadline_hard_cutoff', 'phase_budget_nearly_exhausted'],
      });
    },
  },
];
