import type { Scenario } from '../../scenario.js';
import { disk } from '../../world/defaults.js';
import { gateway, mount, patch, patience, runningEngine, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';
const WAKE = [
  'agent_stall',
  'engine_hang',
  'local_server_unreachable',
  LOGS,
  'repeated_failure',
  'gpu_memory_leaked',
  'gpu_thermal_high',
];

/** Faults that come together, follow from each other or hide. */
export const combinedFaults: readonly Scenario[] = [
  {
    name: 'lost-gpu-takes-all',
    kind: 'faulty',
    story: 'A GPU falls off; within minutes the log fills, the server refuses and the agents wait.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab, 'vllm');
      const from = someMinute(lab);
      lab.at(from, () => {
        const gpu = lab.world.gpus[4];
        if (gpu !== undefined) gpu.extra = { error: 'GPU is lost', error_kind: 'lost' };
        lab.world.log(
          engine.log,
          'HIP error: device 4 is unavailable',
          '(EngineCore_DP0) ERROR EngineCore encountered a fatal error.',
          'EngineCore_DP0 exited unexpectedly',
        );
        engine.load = null;
        engine.answer('refused');
        lab.life.proposes = false;
        lab.life.speaks.orchestration = false;
      });
      lab.eachMinute(() => {
        if (lab.minute >= from) engine.load = null;
      });
      lab.fault({
        cause: 'GPU 4 fell off the bus',
        from,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'full-disk-tears-the-state',
    kind: 'faulty',
    story: 'The disk is full; a log says so, and the state file is cut off.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        patch(lab, 'local_disk', { '/': disk(893.8, 893.1, 'overlay') });
        lab.world.log(engine.log, 'OSError: [Errno 28] No space left on device');
      });
      lab.at(from + 6, () => {
        lab.life.writesState = false;
        lab.world.state.valid = false;
        lab.world.state.error = 'json_parse_failed';
      });
      lab.fault({
        cause: 'the disk is full',
        from,
        right: ['disk_pressure'],
        company: [LOGS],
        severity: 'high',
      });
      lab.fault({
        cause: 'the state file is cut off',
        from: from + 6,
        right: ['state_json_corrupt'],
        severity: 'high',
      });
    },
  },
  {
    name: 'outage-behind-everything',
    kind: 'faulty',
    story: 'The key is revoked: verdicts are fallbacks, agents fall silent, nothing goes on.',
    hours: 4,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      let streak = 0;
      lab.eachTick(() => {
        if (lab.minute < from) return;
        streak += 1;
        gateway(lab, { status: 'unauthorized', status_code: 401, fail_streak: streak });
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
        lab.world.judges = [
          {
            turn_dir: '000001',
            kb_read_skipped_reason: null,
            required_context: [],
            proposal_count: 1,
            mtime: lab.world.now - 30,
            emit_source: 'critic_unavailable',
          },
          ...lab.world.judges,
        ].slice(0, 50);
      });
      lab.fault({
        cause: 'the gateway rejects the key',
        from,
        right: ['gateway_auth_outage'],
        company: [
          'agent_stall',
          'critic_unavailable_streak',
          'conversation_no_progress',
          'gain_plateau',
          'no_levers_found',
        ],
      });
    },
  },
  {
    name: 'one-true-line-among-thousands',
    kind: 'faulty',
    story: 'Among thousands of lines that only sound bad one tells of a real fault.',
    hours: 3.5,
    life: STEADY,
    unseen: { log_error_pattern: 'ring sdma2 timeout, signaled seq=88123' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachMinute(() => {
        for (let i = 0; i < 25; i += 1)
          lab.world.log(
            engine.log,
            `WARN pool: retry ${i} succeeded, errors=0 killed=0 fatal=no (${lab.random.hex(4)})`,
          );
      });
      lab.at(from, () =>
        lab.world.log(
          engine.log,
          'amdgpu 0000:c5:00.0: amdgpu: ring sdma2 timeout, signaled seq=88123, emitted seq=88125',
        ),
      );
      lab.fault({
        cause: 'a hardware ring hangs',
        from,
        until: from + 20,
        right: [LOGS],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'fault-in-a-flood-of-talk',
    kind: 'faulty',
    story: 'Four hundred messages a tick, and the same integration fails again and again among them.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        for (let i = 0; i < 400; i += 1)
          lab.world.tell('observation', { body_md: `note ${i}` }, { from: `specialist:${i % 9}`, ago: 20 });
      });
      for (let i = 0; i < 8; i += 1) {
        lab.at(from + i * 3, () =>
          lab.world.result('specialist', { role: 'kernel-author', target: 'moe_gemm' }, 'failed', {
            error: 'exit code 66',
          }),
        );
      }
      lab.fault({
        cause: 'the specialist cannot start',
        from,
        until: from + 40,
        visibleAfter: 6,
        right: ['same_payload_loop:specialist', 'repeated_failure:specialist'],
        destructive: ['prune:specialist'],
      });
    },
  },
  {
    name: 'fault-right-after-a-resume',
    kind: 'faulty',
    story: 'The tick counter has just gone back by fifty when a GPU overheats.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const { coordinator } = lab.world;
      coordinator.tick = 70;
      const from = someMinute(lab);
      lab.at(from, () => {
        coordinator.tick = 20;
        coordinator.lastProgressTick = 20;
      });
      lab.eachTick(() => {
        const gpu = lab.world.gpus[2];
        if (gpu !== undefined && lab.minute >= from + 4) gpu.junctionC = 112;
      });
      lab.fault({
        cause: 'a pump has failed',
        from: from + 4,
        right: ['gpu_thermal_high'],
        severity: 'high',
      });
    },
  },
  {
    name: 'fault-while-half-blind',
    kind: 'faulty',
    story: 'Every collector fails now and then; the server dies all the same.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachTick(() => {
        lab.world.blind.clear();
        for (const name of ['gpu', 'processes', 'ray', 'aiter', 'disk', 'logs'] as const)
          if (lab.random.chance(0.2)) lab.world.blind.set(name, 'timeout');
        if (lab.minute < from) return;
        engine.load = null;
        engine.answer('refused');
      });
      lab.fault({
        cause: 'the server lost its listener',
        from,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'two-at-once',
    kind: 'faulty',
    story: 'Within ten minutes the credentials expire and a disk fills, independently.',
    hours: 3.5,
    life: STEADY,
    unseen: { disk_pressure: '879.5' },
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      let streak = 0;
      lab.eachTick(() => {
        if (lab.minute < from) return;
        streak += 1;
        gateway(lab, { status: 'unauthorized', status_code: 401, fail_streak: streak });
        if (lab.minute >= from + 8) patch(lab, 'local_disk', { '/': disk(893.8, 879.5, 'overlay') });
      });
      lab.fault({ cause: 'the credentials expired', from, right: ['gateway_auth_outage'] });
      lab.fault({ cause: 'the disk fills', from: from + 8, right: ['disk_pressure'], severity: 'high' });
    },
  },
  {
    name: 'host-kills-the-coordinator',
    kind: 'faulty',
    story:
      'The kernel ends the Coordinator itself for lack of memory; its agents fall silent, its lease stays.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const { world, life } = lab;
        const pid = Number(world.coordinatorProcess['recorded_pid']);
        world.kernelSays(
          `Out of memory: Killed process ${pid} (python3) total-vm:88112004kB, anon-rss:71203116kB, file-rss:0kB`,
        );
        world.coordinatorProcess = { ...world.coordinatorProcess, alive: false, identity_source: 'lock' };
        for (const lease of world.leases) lease.alive = false;
        life.speaks.orchestration = false;
        life.speaks.critic = false;
        life.proposes = false;
        life.writesState = false;
        life.job = null;
        life.stopServer();
        for (const task of world.tasks) if (task.state === 'running') task.state = 'cancelled';
      });
      lab.fault({
        cause: 'the host ran out of memory and the kernel chose the Coordinator',
        from,
        right: ['host_oom_kill', 'coordinator_zombie'],
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
    name: 'file-server-takes-the-session',
    kind: 'faulty',
    story:
      'The file server hangs, and with it mounts, database, state file and the agents that wait for them.',
    hours: 3.5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const { world } = lab;
      const from = someMinute(lab);
      lab.at(from, () => {
        world.kernelSays('nfs: server 10.40.0.12 not responding, timed out');
        world.dbStatus = 'locked';
        lab.life.writesState = false;
        lab.life.speaks.orchestration = false;
        lab.life.speaks.critic = false;
        world.blind.set('state', 'timeout');
      });
      lab.at(from + 40, () => {
        world.kernelSays('nfs: server 10.40.0.12 OK');
        world.dbStatus = 'ok';
        lab.life.writesState = true;
        lab.life.speaks.orchestration = true;
        lab.life.speaks.critic = true;
        world.blind.delete('state');
      });
      lab.eachTick(() => {
        const hangs = lab.minute >= from && lab.minute < from + 40;
        mount(lab, hangs ? { ok: false, error: 'timeout', latency_ms: 5000 } : {});
      });
      lab.fault({
        cause: 'the file server hangs',
        from,
        until: from + 40,
        visibleAfter: 1,
        right: ['nfs_server_unresponsive', 'wekafs_degraded'],
        company: [
          'coordinator_db_unreadable',
          'agent_stall',
          'conversation_no_progress',
          'tracelens_cli_missing',
        ],
        severity: 'high',
      });
    },
  },
  {
    name: 'broken-from-the-first-tick',
    kind: 'faulty',
    story: 'The session begins on a node that has already lost a GPU.',
    hours: 2.5,
    life: STEADY,
    plan: (lab) => {
      patience(lab);
      const gpu = lab.world.gpus[0];
      if (gpu !== undefined) gpu.extra = { error: 'fell off', error_kind: 'lost' };
      lab.fault({
        cause: 'a GPU was lost before the start',
        from: 0,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'flickering-listener',
    kind: 'faulty',
    story: 'A server that refuses for ten minutes, answers for five, and refuses again, all afternoon.',
    hours: 4,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachMinute(() => {
        if (lab.minute >= from) engine.answer((lab.minute - from) % 15 < 10 ? 'refused' : 'ok');
      });
      lab.fault({
        cause: 'a supervisor restarts the front end for ever',
        from,
        visibleAfter: 5,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
];
