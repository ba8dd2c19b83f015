import type { Scenario } from '../../scenario.js';
import type { LabServer } from '../../world/types.js';
import { keepServer, runningEngine, STEADY, someMinute } from '../parts.js';

const LOGS = 'log_error_pattern';
/** What a dead or stuck server takes with it. */
const WAKE = [
  'agent_stall',
  'engine_hang',
  'local_server_unreachable',
  LOGS,
  'repeated_failure',
  'gain_plateau',
  'no_levers_found',
];

/** Inference servers that die, freeze or only pretend to live. */
export const serverFaults: readonly Scenario[] = [
  {
    name: 'front-end-gone',
    kind: 'faulty',
    story: 'The process of the server lives, but its port refuses: the HTTP front end has ended.',
    hours: 3.5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        engine.answer('refused');
        engine.load = null;
      });
      lab.eachMinute(() => {
        if (lab.minute >= from && engine.load !== null) engine.load = null;
      });
      const heal = () => {
        engine.answer('ok');
      };
      lab.at(from + 45, heal);
      lab.fault({
        cause: 'the HTTP front end of the server ended',
        from,
        until: from + 45,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'frozen-solid',
    kind: 'faulty',
    story: 'The server accepts connections and answers none; its log stands still.',
    hours: 3.5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachMinute(() => {
        const isFrozen = lab.minute >= from && lab.minute < from + 50;
        if (isFrozen) engine.load = null;
        engine.answer(isFrozen ? 'timeout' : 'ok');
      });
      lab.fault({
        cause: 'all ranks wait for one that is stuck',
        from,
        until: from + 50,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'healthy-answers-no-tokens-vllm',
    kind: 'faulty',
    story:
      'Every health request is answered with 200; the engine behind it makes no token and the queue grows.',
    hours: 3.5,
    life: { ...STEADY, engine: 'vllm' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab, 'vllm');
      const from = someMinute(lab);
      lab.eachMinute(() => {
        engine.load =
          lab.minute >= from
            ? { running: 0, waiting: 7 + Math.round(lab.minute - from), tokensPerS: 0 }
            : { running: 43, waiting: 2, tokensPerS: 3127 };
      });
      lab.fault({
        cause: 'the engine core is dead-locked',
        from,
        right: ['engine_hang'],
        company: WAKE,
        visibleAfter: 2,
      });
    },
  },
  {
    name: 'healthy-answers-no-tokens-sglang',
    kind: 'faulty',
    story: 'The same with another engine: requests are admitted, none of them is ever continued.',
    hours: 3.5,
    life: STEADY,
    unseen: { engine_hang: '1187' },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachMinute(() => {
        engine.load =
          lab.minute >= from
            ? { running: 61, waiting: 1187, tokensPerS: 0 }
            : { running: 61, waiting: 12, tokensPerS: 2210 };
      });
      lab.fault({
        cause: 'the scheduler waits for a collective that never ends',
        from,
        right: ['engine_hang'],
        company: WAKE,
        visibleAfter: 2,
      });
    },
  },
  {
    name: 'healthy-answers-no-tokens-newer-log',
    kind: 'faulty',
    story:
      'The same as newer releases write it: one more rank in the tag, other figures between the known ones.',
    hours: 3.5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.eachMinute(() => {
        engine.load = null;
        const [running, waiting, rate] = lab.minute >= from ? [61, 733, '0.00'] : [61, 9, '2188.41'];
        const stamp = engine.stamp().replace('TP0]', 'DP0 TP0 EP0]');
        lab.world.log(
          engine.log,
          `${stamp} Decode batch, #running-req: ${running}, #full token: 55571, full token usage: 0.42, accept len: 1.00, accept rate: 0.33, cuda graph: True, gen throughput (token/s): ${rate}, #queue-req: ${waiting}, `,
        );
      });
      lab.fault({
        cause: 'the scheduler waits for a collective that never ends',
        from,
        right: ['engine_hang'],
        company: WAKE,
        visibleAfter: 4,
      });
    },
  },
  {
    name: 'five-hundreds',
    kind: 'faulty',
    story: 'The server answers every health request with 500.',
    hours: 3,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => engine.answer('http_500'));
      lab.at(from + 35, () => engine.answer('ok'));
      lab.fault({
        cause: 'the engine behind the front end has died',
        from,
        until: from + 35,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'one-of-two-servers',
    kind: 'faulty',
    story: 'Of a prefill and a decode server one refuses.',
    hours: 3,
    life: STEADY,
    unseen: { local_server_unreachable: 'http://127.0.0.1:31117/health' },
    plan: (lab) => {
      runningEngine(lab);
      const { world } = lab;
      world.processes.push({
        pid: 77_001,
        cmd: 'python3 -m sglang.launch_server --port 31117 --disaggregation-mode decode',
        cwd: `${world.sessionDir}/runs/explore/decode0`,
        isServer: true,
        owned: true,
        startedAt: world.now,
      });
      const second: LabServer = { url: 'http://127.0.0.1:31117/health', pid: 77_001, answer: 'ok' };
      world.servers.push(second);
      const from = someMinute(lab);
      lab.at(from, () => {
        second.answer = 'refused';
      });
      lab.fault({
        cause: 'the decode server has lost its listener',
        from,
        right: ['local_server_unreachable'],
        company: WAKE,
      });
    },
  },
  {
    name: 'slow-death-in-the-log',
    kind: 'faulty',
    story: 'A worker dies; root, confirmation and cascade fill the log with sixty lines within a minute.',
    hours: 3,
    life: STEADY,
    unseen: { log_error_pattern: "Worker failed with error 'HIP error'" },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab, 'vllm');
      const from = someMinute(lab);
      lab.at(from, () => {
        for (let rank = 0; rank < 8; rank += 1) {
          lab.world.log(
            engine.log,
            `(VllmWorker rank=${rank} pid=${9000 + rank}) ERROR 04-05 11:02:33 [multiproc_executor.py:517] WorkerProc hit an exception.`,
            'Traceback (most recent call last):',
            `  File "/opt/vllm/v1/worker/gpu_model_runner.py", line ${1400 + rank}, in execute_model`,
            '    hidden_states = self.model(input_ids)',
            'torch.AcceleratorError: HIP error: an illegal memory access was encountered',
            `(EngineCore_DP0 pid=8990) RuntimeError: Worker failed with error 'HIP error', rank ${rank}`,
          );
        }
        lab.world.log(
          engine.log,
          '(APIServer pid=8900) vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
        );
        lab.life.stopServer();
        lab.life.finish();
      });
      lab.fault({
        cause: 'an illegal memory access in a kernel',
        from,
        until: from + 30,
        right: [LOGS],
        company: WAKE,
      });
    },
  },
  {
    name: 'killed-without-a-word',
    kind: 'faulty',
    story: 'Somebody ends the server with signal 9; there is no line anywhere, the client goes on asking.',
    hours: 3.5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const { world } = lab;
      const from = someMinute(lab);
      lab.at(from, () => {
        engine.stop();
        lab.life.engine = null;
        world.servers.push({ url: engine.url, pid: null, answer: 'refused' });
        world.processes.push({
          pid: 66_120,
          cmd: `python3 benchmark_serving.py --port ${engine.port} --result-dir ${world.sessionDir}/runs/x`,
          cwd: world.sessionDir,
          isServer: false,
          owned: true,
          startedAt: world.now - 900,
        });
        lab.life.proposes = false;
        lab.life.notes = false;
        if (lab.life.job !== null) lab.life.job.endsAt = world.now + 7800;
      });
      lab.fault({
        cause: 'the server was killed from outside',
        from,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
  {
    name: 'never-comes-up',
    kind: 'faulty',
    story: 'A server loads for ever: two hours after its start it still refuses.',
    hours: 4,
    life: { ...STEADY, laterLoad: [400, 420] },
    plan: (lab) => {
      keepServer(lab);
      lab.fault({
        cause: 'loading waits for a rank that never joins',
        from: 0,
        visibleAfter: 70,
        right: ['local_server_unreachable'],
        company: WAKE,
        destructive: ['recover'],
      });
    },
  },
];
