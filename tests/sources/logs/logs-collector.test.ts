import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, listOr, objectOr, objectsOf } from '../../../src/foreign/json.js';
import type { CollectorAnswer, CollectorEnv } from '../../../src/sources/collector.js';
import { logsCollector } from '../../../src/sources/logs/logs-collector.js';
import { SessionBuilder } from '../../support/session-builder.js';
import { look } from '../collector-harness.js';

const NOW = Math.floor(Date.now() / 1000);
const LOG = 'runs/explore/t1/server.log';

let session: SessionBuilder;
let memory: JsonObject;
beforeEach(() => {
  session = new SessionBuilder();
  memory = {};
});
afterEach(() => session.remove());

/** One look; the next one remembers it. */
async function read(over: Partial<CollectorEnv> = {}, configOver: JsonObject = {}): Promise<CollectorAnswer> {
  const answer = await look(logsCollector, {
    sessionDir: session.dir,
    nowUnix: NOW,
    memory,
    configOver,
    ...over,
  });
  memory = { ...memory, ...answer.memory };
  return answer;
}

const hits = (answer: CollectorAnswer) => objectsOf(answer.slots.local_log_errors);
const fresh = (answer: CollectorAnswer) =>
  hits(answer)
    .filter((hit) => hit['new'] === true)
    .map((hit) => hit['pattern']);
const tail = (answer: CollectorAnswer) => listOr(answer.slots.local_log_tail);

describe('log hits', () => {
  it('name the log, the place and the role', async () => {
    session.file(LOG, 'fine\nHIP out of memory. Tried to allocate 2.00 GiB\nfine\n');
    expect(hits(await read())).toEqual([
      {
        pattern: 'HIP out of memory',
        line: `[${LOG}] HIP out of memory. Tried to allocate 2.00 GiB`,
        file: LOG,
        offset: 5,
        first_seen_unix: NOW,
        role: 'root',
        new: true,
        oom: { tried_mib: 2048, free_mib: null, total_mib: null, cap_mib: null },
      },
    ]);
  });

  it('are new once, remembered for half an hour, then gone', async () => {
    session.file(LOG, 'NCCL error 3\n');
    expect(fresh(await read())).toEqual(['NCCL error']);
    const second = await read({ nowUnix: NOW + 60 });
    expect(hits(second)).toMatchObject([{ new: false, first_seen_unix: NOW }]);
    expect(hits(await read({ nowUnix: NOW + 1800 }))).toEqual([]);
  });

  it('come from what was appended', async () => {
    const path = session.file(LOG, 'NCCL error 3\n');
    await read();
    appendFileSync(path, 'fine\nSegmentation fault\n');
    expect(fresh(await read())).toEqual(['Segmentation fault']);
    expect(fresh(await read())).toEqual([]);
  });

  it('of a log that was renamed away come from its rest and from the new one', async () => {
    const path = session.file(LOG, 'fine\n');
    await read();
    appendFileSync(path, 'NCCL error 3\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'Segmentation fault\n');
    expect(fresh(await read()).sort()).toEqual(['NCCL error', 'Segmentation fault']);
    expect(fresh(await read())).toEqual([]);
  });

  it('of a log that was copied and cut come from its new start, also when it has outgrown the old end', async () => {
    const path = session.file(LOG, 'fine\nNCCL error 3\nfine\n');
    await read();
    truncateSync(path, 0);
    appendFileSync(path, 'Segmentation fault\n');
    expect(fresh(await read())).toEqual(['Segmentation fault']);
    truncateSync(path, 0);
    appendFileSync(path, `${'calm\n'.repeat(20)}Too many open files\n`);
    expect(fresh(await read())).toEqual(['Too many open files']);
  });

  it('of a line without an end are seen at once and not again when the end comes', async () => {
    const path = session.file(LOG, 'fine\nSegmentation fault');
    expect(fresh(await read())).toEqual(['Segmentation fault']);
    appendFileSync(path, ' in worker\nfine\n');
    expect(fresh(await read())).toEqual([]);
  });

  it('of a trace are one, also when it is written in two parts', async () => {
    const path = session.file(LOG, 'Traceback (most recent call last):\n  File "a.py", line 1\n');
    expect(fresh(await read())).toEqual([]);
    appendFileSync(path, '    raise RuntimeError("NCCL error")\nRuntimeError: HIP out of memory\n');
    expect(fresh(await read())).toEqual(['HIP out of memory']);
    expect(fresh(await read())).toEqual([]);
  });

  it('are no news in a log that was quiet for long before it was first seen', async () => {
    session.file(LOG, 'NCCL error 3\n', NOW - 7200);
    expect(hits(await read())).toEqual([]);
    appendFileSync(session.path(LOG), 'Segmentation fault\n');
    expect(fresh(await read())).toEqual(['Segmentation fault']);
  });

  it('are bounded however often a line is repeated', async () => {
    session.file(LOG, 'NCCL error 3\n'.repeat(4000));
    expect(hits(await read())).toHaveLength(20);
  });

  it('hold no credential', async () => {
    session.file(LOG, 'NCCL error while using api_key=abcdefghijkl and Bearer abcdefgh12345\n');
    const [hit] = hits(await read());
    expect(String(hit?.['line'])).not.toMatch(/abcdefgh/);
    expect(String(hit?.['line'])).toContain('[redacted]');
  });

  it('follow configured texts', async () => {
    session.file(LOG, 'the flux is reversed\n');
    expect(fresh(await read({}, { log_error_patterns: ['flux * reversed'] }))).toEqual(['flux * reversed']);
  });
});

describe('logs', () => {
  it('are the newest, wherever they lie below runs, and each is scanned to its end', async () => {
    const paths = [
      'a/server.log',
      'b/c/server_log',
      'b/c/d/e/f/server.log',
      'b/x/benchmark_vllm_1/server.log',
      'g/h/benchmark_stderr.log',
      'z/old/server.log',
    ];
    for (const [index, path] of paths.entries()) {
      session.file(`runs/${path}`, `${'fine\n'.repeat(300)}NCCL error 3\n`, NOW - 10 - index);
    }
    const answer = await read();
    expect(hits(answer).map((hit) => hit['file'])).toEqual(paths.slice(0, 5).map((path) => `runs/${path}`));
    expect(tail(answer)).toHaveLength(5 * 200);
    expect(tail(answer)[0]).toBe('[runs/a/server.log] fine');
  });

  it('that are empty take no place, and the copies in server_logs count', async () => {
    session.file('runs/a/b/server.log', '', NOW);
    session.file('server_logs/node1.log', 'NCCL error 3\n', NOW - 5);
    session.file('runs/a/c/server.log', 'Segmentation fault\n', NOW - 9);
    expect(fresh(await read({}, { server_log_max_extra: 1 }))).toEqual(['NCCL error']);
  });

  it('include the primary, the own log of the Coordinator and configured patterns of names', async () => {
    session.file('elsewhere/main.log', 'NCCL error 3\n');
    session.file('odd/place/thing.txt', 'Segmentation fault\n');
    const runLog = session.workspaceFile(
      'optimizer_runs/run_1.log',
      'critic runtime.cli judge timed out after 31s\n',
    );
    const facts = {
      coordinator: {
        pid: null,
        alive: null,
        startedUnix: null,
        hostname: '',
        otherHost: false,
        workspaceRoot: session.workspace,
        runLog,
      },
    };
    const answer = await read(
      { facts },
      {
        server_log_path: 'elsewhere/main.log',
        server_log_extra_globs: '/etc/pass*:../x: odd/*/*.txt ::',
        server_log_max_extra: 1,
      },
    );
    expect(hits(answer).map((hit) => hit['file'])).toEqual([
      'elsewhere/main.log',
      'odd/place/thing.txt',
      'optimizer_runs/run_1.log',
    ]);
  });

  it('that are no regular files, or links out of the session, cost nothing but themselves', async () => {
    mkdirSync(session.path('runs/a/b'), { recursive: true });
    mkdirSync(session.path('runs/a/c'), { recursive: true });
    mkdirSync(session.path('runs/a/e'), { recursive: true });
    execFileSync('mkfifo', [session.path('runs/a/b/server.log')]);
    symlinkSync('/nowhere/at/all', session.path('runs/a/c/server.log'));
    const outside = session.workspaceFile('outside.log', 'NCCL error 3\n');
    symlinkSync(outside, session.path('runs/a/e/server.log'));
    session.file('runs/a/d/server.log', 'Segmentation fault\n');
    const answer = await read();
    expect(fresh(answer)).toEqual(['Segmentation fault']);
    expect(answer.verdicts.logs).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('runs/a/e/server.log'),
    });
  });

  it('of a gigabyte without a line end cost no more than small ones', async () => {
    const cost = async () => {
      const started = process.cpuUsage();
      await read();
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    };
    const fd = openSync(session.file(LOG, 'start'), 'r+');
    ftruncateSync(fd, 2 ** 30);
    writeSync(fd, 'x'.repeat(300_000), 2 ** 30 - 300_000);
    await cost();
    const times = [await cost(), await cost(), await cost()];
    closeSync(fd);
    expect(Math.min(...times)).toBeLessThan(60);
    appendFileSync(session.path(LOG), '\nNCCL error 3\n');
    expect(fresh(await read())).toEqual(['NCCL error']);
  });

  it('keep the last lines of a log, cut and tagged', async () => {
    session.file(LOG, `${Array.from({ length: 10 }, (_, i) => `line ${i}`).join('\n')}\n`);
    expect(tail(await read({}, { log_tail_lines: 2 }))).toEqual([`[${LOG}] line 8`, `[${LOG}] line 9`]);
    expect(tail(await read({}, { log_tail_lines: 0 }))).toEqual([]);
  });

  it('are looked for without a session too, if one is configured', async () => {
    const path = session.file('x.log', 'NCCL error 3\n');
    expect(fresh(await read({ sessionDir: null }, { server_log_path: path }))).toEqual(['NCCL error']);
    memory = {};
    expect((await read({ sessionDir: null })).verdicts.logs).toMatchObject({ status: 'empty' });
  });
});

describe('a line that an engine may have outlived', () => {
  const sglang = (clock: string, rate = 811.4) =>
    `[2031-05-06 ${clock} TP0] Decode batch. #running-req: 8, #token: 7288, token usage: 0.42, gen throughput (token/s): ${rate}, #queue-req: 0\n`;
  const LINE = '[2031-05-06 10:00:08] user said: Segmentation fault (core dumped)\n';
  const survived = (answer: CollectorAnswer) => hits(answer).map((hit) => hit['survived'] ?? false);
  /** A log that was last written so many seconds ago. */
  const written = (content: string, agoS = 2) => {
    const path = session.file(LOG, content);
    utimesSync(path, NOW - agoS, NOW - agoS);
    return path;
  };

  it('was survived where the engine goes on generating soon after it', async () => {
    written(sglang('10:00:00') + LINE + sglang('10:00:18') + sglang('10:00:38'));
    expect(survived(await read())).toEqual([true]);
  });

  it('was survived where the engine answers requests after it', async () => {
    const answered = 'INFO:     127.0.0.1:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n';
    written(`user said: Segmentation fault\n${answered}${answered}`);
    expect(survived(await read())).toEqual([true]);
  });

  it.each([
    ['nothing comes after it', sglang('10:00:00') + LINE],
    ['only statistics of an engine at rest come after it', sglang('10:00:00') + LINE + sglang('10:00:10', 0)],
    [
      'the engine is started anew',
      `${LINE}[2031-05-06 10:00:20] server_args=ServerArgs()\n${sglang('10:01:00')}`,
    ],
    ['the engine works again only minutes later', LINE + sglang('10:02:00') + sglang('10:02:40')],
    ['the engine goes on for no longer than it takes to die', LINE + sglang('10:00:10') + sglang('10:00:20')],
    [
      'another engine writes into the same log',
      LINE + sglang('10:00:10').replace('TP0', 'DP0 TP0') + sglang('10:00:40').replace('TP0', 'DP1 TP1'),
    ],
    [
      'a request failed after it',
      `${LINE}INFO: 1.1.1.1:5 - "POST /generate HTTP/1.1" 500 Internal Server Error\n`,
    ],
  ])('was not where %s', async (_why, content) => {
    written(content, 60);
    expect(survived(await read())).toEqual([false]);
  });

  it('waits for the next look where the engine worked until just now, and is then told as it is', async () => {
    const path = written(sglang('10:00:00') + LINE);
    expect(hits(await read())).toEqual([]);
    appendFileSync(path, sglang('10:00:10') + sglang('10:00:40'));
    expect(survived(await read({ nowUnix: NOW + 60 }))).toEqual([true]);
  });

  it('is not lost where more is written meanwhile than one look reads', async () => {
    const path = written(sglang('10:00:00') + LINE);
    expect(hits(await read())).toEqual([]);
    appendFileSync(path, `${'x'.repeat(99)}\n`.repeat(4000) + sglang('10:09:00'));
    expect(fresh(await read({ nowUnix: NOW + 600 }))).toEqual(['Segmentation fault']);
    expect(fresh(await read({ nowUnix: NOW + 660 }))).toEqual([]);
  });

  it('waits for one look only', async () => {
    const path = written(sglang('10:00:00') + LINE);
    expect(hits(await read())).toEqual([]);
    expect(fresh(await read({ nowUnix: NOW + 5 }))).toEqual(['Segmentation fault']);
    expect(survived(await read({ nowUnix: NOW + 10 }))).toEqual([false]);
    appendFileSync(path, LINE);
    expect(fresh(await read({ nowUnix: NOW + 600 }))).toEqual(['Segmentation fault']);
  });

  it('does not wait in a log that nobody writes any more', async () => {
    written(sglang('10:00:00') + LINE, 30);
    expect(fresh(await read())).toEqual(['Segmentation fault']);
  });
});

describe('engine samples', () => {
  const vllm = (clock: string, gen: number, running: number, waiting: number) =>
    `INFO 01-02 ${clock} [loggers.py:123] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: ${gen} tokens/s, Running: ${running} reqs, Waiting: ${waiting} reqs, GPU KV cache usage: 1.2%\n`;
  const engines = (answer: CollectorAnswer) => objectsOf(answer.slots.local_engine);

  it('of vLLM are placed in time by the file they end', async () => {
    const path = session.file(
      LOG,
      vllm('10:00:00', 120.5, 4, 0) + vllm('10:00:10', 0, 4, 2) + vllm('10:00:20', 0, 4, 3),
    );
    utimesSync(path, NOW - 1, NOW - 1);
    expect(engines(await read())).toEqual([
      {
        log: LOG,
        engine: 'vllm',
        ever_generated: true,
        samples: [
          { unix: NOW - 21, running: 4, waiting: 0, gen_tokens_s: 120.5, prompt_tokens_s: 0 },
          { unix: NOW - 11, running: 4, waiting: 2, gen_tokens_s: 0, prompt_tokens_s: 0 },
          { unix: NOW - 1, running: 4, waiting: 3, gen_tokens_s: 0, prompt_tokens_s: 0 },
        ],
      },
    ]);
  });

  it('are kept across looks, far enough back to tell how long an engine has stood still', async () => {
    const path = session.file(LOG, vllm('09:00:00', 50, 1, 0));
    utimesSync(path, NOW, NOW);
    await read();
    let last: JsonObject | undefined;
    for (let step = 1; step <= 360; step += 6) {
      const clock = new Date(step * 10_000 + 9 * 3_600_000).toISOString().slice(11, 19);
      appendFileSync(path, vllm(clock, 0, 1, 5));
      utimesSync(path, NOW + step * 10, NOW + step * 10);
      [last] = engines(await read({ nowUnix: NOW + step * 10 }));
    }
    const samples = objectsOf(last?.['samples']);
    expect(samples.length).toBeLessThanOrEqual(20);
    expect(last?.['ever_generated']).toBe(true);
    expect(samples[0]).toMatchObject({ gen_tokens_s: 50 });
    const still = samples.slice(1);
    expect(Number(still.at(-1)?.['unix']) - Number(still[0]?.['unix'])).toBeGreaterThan(1800);
  });

  it('of SGLang are read from both kinds of batches', async () => {
    session.file(
      LOG,
      '[2031-01-02 10:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: 512, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 3\n' +
        '[2031-01-02 10:00:30 TP0] Decode batch. #running-req: 4, #token: 1234, token usage: 0.01, cuda graph: True, gen throughput (token/s): 123.45, #queue-req: 2\n',
    );
    const [engine] = engines(await read());
    expect(engine).toMatchObject({ engine: 'sglang', ever_generated: true });
    expect(objectsOf(engine?.['samples'])).toMatchObject([
      { running: 0, waiting: 3, gen_tokens_s: null },
      { running: 4, waiting: 2, gen_tokens_s: 123.45 },
    ]);
  });

  it('of other logs are none', async () => {
    session.file('runs/a/b/benchmark_stderr.log', vllm('10:00:00', 1, 1, 1));
    session.file(LOG, 'throughput is fine\n');
    expect(engines(await read())).toEqual([]);
    expect(objectOr(memory)['engines']).toEqual([]);
  });
});
