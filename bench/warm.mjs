#!/usr/bin/env node
// Ticks over the socket, one after the other: node bench/warm.mjs [--ticks N] [--check]
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, median, quantile, row } from './lib/numbers.mjs';
import { inTempDir, tickRequest } from './lib/processes.mjs';

const { values } = parseArgs({
  options: { ticks: { type: 'string', default: '10000' }, check: { type: 'boolean', default: false } },
});
const ticks = Number(values.ticks);
/** The heap is compared after the first and after the last so many ticks. */
const BLOCK = Math.min(1000, Math.floor(ticks / 2));
const MEDIAN_MS = 8;
const P99_MS = 25;
const GROWTH = 1.05;

await inTempDir(async (directory) => {
  const { times, heaps } = await drive(directory);

  console.log(row('ms per tick', 'median', 'p99', 'max'));
  console.log(row(`${ticks} ticks`, median(times), quantile(times, 0.99), Math.max(...times)));
  console.log(row('heap, MiB, after ticks', String(BLOCK), String(ticks)));
  console.log(row('', ...heaps.map(mib)));
  const [first, last] = heaps;
  const held = [
    judge('median', median(times), MEDIAN_MS, ' ms'),
    judge('p99', quantile(times, 0.99), P99_MS, ' ms'),
    judge('growth of the heap', last / first, GROWTH),
  ];
  if (values.check && held.includes(false)) process.exitCode = 1;
});

function mib(bytes) {
  return (bytes / 2 ** 20).toFixed(2);
}

/** Time of each tick on a server of its own, ms, and its heap after the first block and after all, bytes. */
async function drive(directory) {
  const session = join(directory, 'session');
  mkdirSync(session, { recursive: true });
  const socketPath = join(directory, 'agent.sock');
  const server = await start(socketPath);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  const heaps = [];
  const now = Date.now() / 1000;
  for (let tick = 1; tick <= ticks; tick += 1) {
    const body = JSON.stringify(quietRequest(session, tick, now + tick));
    const started = performance.now();
    await post(socketPath, agent, body);
    times.push(performance.now() - started);
    if (tick === BLOCK || tick === ticks) heaps.push(await server.heapBytes());
  }
  agent.destroy();
  await server.end();
  return { times, heaps };
}

/** Crashes come and go, so that there is something to judge and to remember. */
function quietRequest(session, tick, nowUnix) {
  const prompt = `=== Shared session state ===\ncrash_count=${tick % 50 === 0 ? 3 : 0}\ntick=${tick}\n`;
  const made = tickRequest(session, prompt, { disable_local_probe: true });
  return { ...made, context: { tick_index: tick, now_unix: nowUnix } };
}

/** The server in a process of its own, which tells its heap after a full collection when asked. */
async function start(socketPath) {
  const command = resolve('dist/runtime/serve.js');
  const program = `
    const { env, stdin, stdout, stderr } = process;
    process.on('message', () => { gc(); gc(); process.send(process.memoryUsage().heapUsed); });
    require(${JSON.stringify(command)})
      .run(['--socket', ${JSON.stringify(socketPath)}], { env, cwd: process.cwd(), stdin, stdout, stderr })
      .then((code) => process.exit(code));`;
  const child = spawn(process.execPath, ['--expose-gc', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await new Promise((ready, failed) => {
    child.stdout.once('data', ready);
    child.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return {
    heapBytes: () =>
      new Promise((told) => {
        child.once('message', told);
        child.send('heap');
      }),
    end: () =>
      new Promise((ended) => {
        child.removeAllListeners('exit');
        child.once('exit', ended);
        child.kill('SIGTERM');
      }),
  };
}

function post(socketPath, agent, body) {
  return new Promise((resolved, failed) => {
    const options = { socketPath, agent, method: 'POST', path: '/tick' };
    const call = request(options, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolved();
        else failed(new Error(`the server answered ${response.statusCode}`));
      });
    });
    call.once('error', failed);
    call.end(body);
  });
}
