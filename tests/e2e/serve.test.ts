import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnv } from '../support/cli.js';
import { socketRequest } from '../support/socket-post.js';
import { tempDir } from '../support/temp-dir.js';
import { tickRequest } from '../support/tick-request.js';

/** The built command in a process of its own, once it says that it answers. */
async function startServer(socket: string): Promise<{ child: ChildProcess; ended: Promise<number | null> }> {
  const command = JSON.stringify(resolve('dist/runtime/serve.js'));
  const text = `require(${command}).run(['--socket', process.argv[1]], {
    env: process.env, cwd: process.cwd(), stdin: process.stdin, stdout: process.stdout, stderr: process.stderr,
  }).then((code) => process.exit(code))`;
  const child = spawn(process.execPath, ['-e', text, socket], {
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  await new Promise<void>((ready, failed) => {
    child.stdout?.once('data', () => ready());
    void ended.then((code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { child, ended };
}

describe('the socket server as a process', () => {
  it('answers what is at work before it ends on SIGTERM, and takes its socket along', async () => {
    const root = tempDir();
    const socket = join(root, 'agent.sock');
    const { child, ended } = await startServer(socket);
    const asked = Array.from({ length: 6 }, (_, at) =>
      socketRequest(socket, JSON.stringify(tickRequest({ sessionDir: root, tick: at + 1 }))),
    );
    // The first answer is out, the others are at work or waiting.
    await Promise.race(asked);
    child.kill('SIGTERM');
    // One that it has not accepted yet may find nobody; whoever was taken in is answered and remembered.
    const outcomes = await Promise.allSettled(asked);
    const answered = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []));
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set(answered)).toEqual(new Set([200]));
    expect(await ended).toBe(0);
    const presence = readFileSync(join(root, 'agents/robustness/presence/s.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(presence).toHaveLength(answered.length);
    expect(existsSync(socket)).toBe(false);
    expect(existsSync(join(root, 'agents/robustness/detector_state.lock'))).toBe(false);
  });
});
