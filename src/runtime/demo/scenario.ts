import type { DemoWorld } from './world.js';

/** One tick of the demo. */
export interface Scene {
  /** What really happens, one line. */
  readonly story: string;
  readonly kind: 'healthy' | 'faulty';
  /** Minutes since the scene before. */
  readonly minutes: number;
  readonly act: (world: DemoWorld) => void;
  /** Symptoms that this tick has to report. */
  readonly expect?: readonly string[];
  /** Symptoms that may also be reported. */
  readonly allow?: readonly string[];
  /** Intent types that this tick has to send, besides alerts. */
  readonly intents?: readonly string[];
  readonly currentAction?: string;
}

const EXPLORE_PARAMS = { variants: [{ name: 'chunked-prefill', flags: '--chunked-prefill-size 2048' }] };

function failExplore(world: DemoWorld, times: number): void {
  for (let i = 0; i < times; i += 1) {
    world.result('explore', EXPLORE_PARAMS, 'failed', 'server exited during warm-up', 200 - 40 * i);
  }
}

/** Ninety minutes of a session, five faults among healthy stretches. */
export function scenario(): readonly Scene[] {
  let task = '';
  const quietWork = (label: string) => (world: DemoWorld) => {
    world.db.progress(
      task,
      { agent: 'orchestration', unit: 'baseline_round', label, status: 'running' },
      world.now - 15,
    );
  };
  return [
    {
      story: 'The baseline starts: a server loads weights, the agents talk.',
      kind: 'healthy',
      minutes: 0,
      currentAction: 'baseline',
      act: (world) => {
        world.chatter();
        task = world.db.task({ kind: 'baseline', state: 'running', at: world.now - 60 });
        world.log('INFO: loading weights 12% | eta 00:31', 'INFO: 0 errors, error_rate=0.0');
      },
      // A remark about this machine, not about the session.
      allow: ['tracelens_cli_missing'],
    },
    {
      story: 'Quiet: nobody speaks for 20 minutes, but the baseline reports progress.',
      kind: 'healthy',
      minutes: 20,
      currentAction: 'baseline',
      act: quietWork('round 1 of 3'),
      allow: ['agent_quiet_work_progressing'],
    },
    {
      story: 'Still quiet; the log sounds bad and is not: retries that succeeded.',
      kind: 'healthy',
      minutes: 15,
      currentAction: 'baseline',
      act: (world) => {
        quietWork('round 2 of 3')(world);
        world.log(
          'WARN: connection reset by peer, retry 1/5 succeeded',
          'INFO: failover succeeded, 0 requests failed',
          'INFO: to avoid out of memory errors lower --max-num-seqs',
          'INFO: accuracy check: errors=0 mismatches=0',
        );
      },
      allow: ['agent_quiet_work_progressing'],
    },
    {
      story: 'All eight GPUs are 95 % full under load: that is the server at work.',
      kind: 'healthy',
      minutes: 5,
      act: (world) => {
        world.chatter();
        world.gpus(72);
        world.result('baseline', { rounds: 3 }, 'succeeded', null);
      },
    },
    {
      story: 'FAULT 1: the same explore payload fails a third time.',
      kind: 'faulty',
      minutes: 5,
      act: (world) => {
        world.chatter();
        failExplore(world, 3);
      },
      expect: ['same_payload_loop'],
      allow: ['repeated_failure'],
    },
    {
      story: 'It is tried once more: confirmed, so the family is pruned.',
      kind: 'faulty',
      minutes: 3,
      act: (world) => {
        world.chatter();
        failExplore(world, 1);
      },
      expect: ['same_payload_loop'],
      allow: ['repeated_failure'],
      intents: ['prune_branch'],
    },
    {
      story: 'FAULT 2: GPU 0 reports 112 C. (Explore found parameters that work.)',
      kind: 'faulty',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.result('explore', { variants: [{ name: 'kv-fp8' }] }, 'succeeded', null);
        world.gpus(112);
      },
      expect: ['gpu_thermal_high'],
    },
    {
      story: 'FAULT 3: a collective times out in the log, glued into a progress bar.',
      kind: 'faulty',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.gpus(70);
        world.log(
          'Capturing CUDA graphs:  43%|####      | 15/35 [00:12<00:16][rank3]:[E1102 09:14:55.123456789 ProcessGroupNCCL.cpp:685] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8841, OpType=ALLREDUCE) ran for 600004 milliseconds before timing out.',
        );
      },
      expect: ['log_error_pattern'],
    },
    {
      story: 'FAULT 4: state.json ends in the middle of a word.',
      kind: 'faulty',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.truncatedState();
      },
      expect: ['state_json_corrupt'],
    },
    {
      story: 'The Coordinator rewrote it; everything is well again.',
      kind: 'healthy',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.state();
      },
    },
    {
      story: 'FAULT 5: the server accepts connections and answers no more.',
      kind: 'faulty',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.engine.freeze();
      },
      allow: ['local_server_unreachable'],
    },
    {
      story: 'Silent twice may be load: nobody is accused yet.',
      kind: 'faulty',
      minutes: 2,
      act: (world) => world.chatter(),
    },
    {
      story: 'A third time-out: urgent now, the recover waits for confirmation.',
      kind: 'faulty',
      minutes: 2,
      act: (world) => world.chatter(),
      expect: ['local_server_unreachable'],
    },
    {
      story: 'Confirmed: a recover is delegated.',
      kind: 'faulty',
      minutes: 2,
      act: (world) => world.chatter(),
      expect: ['local_server_unreachable'],
      intents: ['delegate'],
    },
    {
      story: 'The server is back.',
      kind: 'healthy',
      minutes: 4,
      act: (world) => {
        world.chatter();
        world.engine.thaw();
      },
    },
  ];
}
