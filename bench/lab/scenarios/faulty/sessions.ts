import type { Scenario } from '../../scenario.js';
import { patch, patience, runningEngine, STEADY, someMinute } from '../parts.js';

const LATE = [
  'deadline_warning',
  'deadline_hard_cutoff',
  'deadline_imminent',
  'budget_burn_no_gain',
  'budget_strategy_drift',
  'phase_budget_nearly_exhausted',
  'no_levers_found',
  'gain_plateau',
];

/** Budgets, files and processes of the session itself. */
export const sessionFaults: readonly Scenario[] = [
  {
    name: 'last-half-hour-without-gain',
    kind: 'faulty',
    story: 'The last hour and a half goes by and nothing has been validated.',
    hours: 1.6,
    life: { ...STEADY, budgetMinutes: 307, luck: 0 },
    unseen: {
      deadline_warning: 'budget=307min',
      deadline_imminent: 'budget=307min',
      deadline_hard_cutoff: 'budget=307min',
    },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      lab.world.coordinator.startedAt -= 217 * 60;
      lab.fault({
        cause: 'the run ends with nothing',
        from: 0,
        right: ['deadline_imminent', 'deadline_warning', 'budget_burn_no_gain', 'deadline_hard_cutoff'],
        company: LATE,
        visibleAfter: 1,
      });
    },
  },
  {
    name: 'far-past-its-deadline',
    kind: 'faulty',
    story: 'The prompt claims forty minutes; by the clock the deadline passed an hour ago.',
    hours: 3,
    life: { ...STEADY, budgetMinutes: 247 },
    unseen: { budget_overrun: 'budget=247min' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const { coordinator } = lab.world;
      coordinator.startedAt -= 187 * 60;
      coordinator.stack.push('explore:x');
      coordinator.gainPct = 2.9;
      coordinator.remainingOffset = 160;
      lab.life.notes = true;
      lab.fault({
        cause: 'paused time was added to the budget by mistake',
        from: 0,
        visibleAfter: 72,
        right: ['budget_overrun'],
        company: LATE,
        severity: 'high',
      });
    },
  },
  {
    name: 'phase-will-not-end',
    kind: 'faulty',
    story: 'A phase has used all of its time and the session stays in it.',
    hours: 4,
    life: { ...STEADY, budgetMinutes: 523 },
    unseen: { phase_budget_nearly_exhausted: 'cap=10983s' },
    plan: (lab) => {
      patience(lab);
      const row = lab.world.coordinator.phases[0];
      lab.eachTick(() => {
        if (row !== undefined) row.elapsedS = Math.min(row.capS * 1.6, lab.minute * 60 + row.capS * 0.6);
        lab.world.coordinator.phase = 'EXPLORE';
      });
      lab.fault({
        cause: 'the phase does not close',
        from: 30,
        visibleAfter: 25,
        right: ['phase_budget_nearly_exhausted'],
      });
    },
  },
  {
    name: 'model-too-large',
    kind: 'faulty',
    story: 'A checkpoint of 740 GB is to be served on two GPUs.',
    hours: 2,
    life: { ...STEADY, phase: 'PRELUDE' },
    unseen: { model_gpu_infeasible: '740118220800' },
    plan: (lab) => {
      patience(lab);
      patch(lab, 'local_manifest', {
        model_name: 'Colossus-Chat',
        tp: 2,
        workload: { precision: 'fp8', max_model_len: 32_768, conc: 16, isl: 1024, osl: 1024 },
      });
      patch(lab, 'local_model_config', { weights_bytes: 740_118_220_800 });
      lab.fault({
        cause: 'the weights do not fit',
        from: 0,
        right: ['model_gpu_infeasible'],
        company: ['log_error_pattern', 'repeated_failure'],
      });
    },
  },
  {
    name: 'kernels-hardly-matter',
    kind: 'faulty',
    story:
      'A profile shows that only four percent of the time could be worked on, and kernels are worked on.',
    hours: 3,
    life: { ...STEADY, phase: 'KERNEL_AGENT' },
    unseen: { amdahl_kernel_ceiling_low: '4.13' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 60);
      lab.at(from, () => {
        lab.world.slots.local_kernel_breakdown = {
          tier_pcts: { triton: 4.13, vendor: 78.77, comm: 16.6 },
          total_kernels: 96,
          total_gpu_pct: 99.5,
          kernel_breakdown_path: 'profiles/kernel_breakdown.json',
          mtime: lab.world.now,
        };
      });
      lab.fault({
        cause: 'there is nothing to gain from kernels',
        from,
        right: ['amdahl_kernel_ceiling_low'],
        severity: 'high',
        destructive: ['prune:kernel_opt'],
      });
    },
  },
  {
    name: 'state-file-torn',
    kind: 'faulty',
    story: 'The state file ends in the middle of a word and stays so.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.life.writesState = false;
        lab.world.state.valid = false;
        lab.world.state.error = 'json_parse_failed';
      });
      lab.fault({
        cause: 'the node went down while writing',
        from,
        right: ['state_json_corrupt'],
        severity: 'high',
      });
    },
  },
  {
    name: 'state-file-shrunken',
    kind: 'faulty',
    story: 'A resume wrote an almost empty state over a large one.',
    hours: 3,
    life: STEADY,
    unseen: { state_json_corrupt: '48217' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const { state } = lab.world;
        lab.life.writesState = false;
        state.previousSizeBytes = 48_217;
        state.sizeBytes = 512;
        state.mtime = lab.world.now;
      });
      lab.fault({ cause: 'the state was reset', from, right: ['state_json_corrupt'], severity: 'high' });
    },
  },
  {
    name: 'write-ahead-log-grows',
    kind: 'faulty',
    story: 'A reader that never ends keeps the write-ahead log growing, to nine gigabytes.',
    hours: 4,
    life: STEADY,
    unseen: { coordinator_wal_bloat: '9214876160' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab, 20, 50);
      lab.eachMinute(() => {
        if (lab.minute >= from) lab.world.walBytes = Math.min(9_214_876_160, lab.world.walBytes + 61_000_000);
      });
      lab.fault({
        cause: 'checkpoints are blocked',
        from,
        visibleAfter: 18,
        right: ['coordinator_wal_bloat'],
      });
    },
  },
  {
    name: 'lease-of-a-dead-process',
    kind: 'faulty',
    story: 'A lane is held by a process that died; the dispatcher does not take it away.',
    hours: 3,
    life: STEADY,
    unseen: { stale_lease: '2914377' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const { world } = lab;
        world.leases.push({
          taskId: lab.random.hex(32),
          holder: 'h-old',
          action: 'profile',
          lanes: ['profile_lane'],
          pid: 2_914_377,
          alive: false,
          acquiredAt: world.now - 700,
          expiresAt: world.now + 9 * 3600,
        });
      });
      lab.fault({ cause: 'a lane is blocked for ever', from, right: ['stale_lease'] });
    },
  },
  {
    name: 'mailbox-floods',
    kind: 'faulty',
    story: 'The outbox of an agent grows to 700 MB.',
    hours: 3,
    life: STEADY,
    unseen: { inbox_bloat: '702118400' },
    isLive: true,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.agents = {
          orchestration: { inbox_bytes: 800, outbox_bytes: 702_118_400, inbox_path: 'a', outbox_path: 'b' },
        };
      });
      lab.fault({ cause: 'nobody empties a mailbox', from, right: ['inbox_bloat'] });
    },
  },
  {
    name: 'coordinator-gone',
    kind: 'faulty',
    story: 'The Coordinator died hours ago without a stop reason; a loop of ours still watches the session.',
    hours: 3,
    life: STEADY,
    unseen: { coordinator_zombie: '3918242' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const { world, life } = lab;
        world.coordinatorProcess = {
          ...world.coordinatorProcess,
          recorded_pid: 3_918_242,
          alive: false,
          identity_source: 'lock',
        };
        world.leases = [];
        life.speaks.orchestration = false;
        life.speaks.critic = false;
        life.proposes = false;
        life.writesState = false;
        life.job = null;
        life.stopServer();
        for (const task of world.tasks) if (task.state === 'running') task.state = 'cancelled';
      });
      lab.fault({
        cause: 'the Coordinator was killed',
        from,
        visibleAfter: 2,
        right: ['coordinator_zombie'],
        company: [
          'agent_stall',
          'stale_lease',
          'conversation_no_progress',
          'gain_plateau',
          'no_levers_found',
          'budget_overrun',
        ],
        severity: 'high',
      });
    },
  },
  {
    name: 'a-look-that-never-succeeds',
    kind: 'faulty',
    story: 'The GPU tool hangs at every tick: half of what matters cannot be seen.',
    hours: 3,
    life: STEADY,
    unseen: { collector_degraded: 'amd-smi: nothing printed within 7 s, gpu_index 5' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        if (lab.minute < from) return;
        lab.world.blind.set('gpu', 'timeout');
        lab.world.blindDetails.set('gpu', 'amd-smi: nothing printed within 7 s, gpu_index 5');
      });
      lab.fault({
        cause: 'the driver does not answer the tool',
        from,
        visibleAfter: 12,
        right: ['collector_degraded:gpu'],
        severity: 'low',
      });
    },
  },
];
