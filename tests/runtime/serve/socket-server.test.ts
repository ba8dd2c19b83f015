import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type SocketServer, serveTicks } from '../../../src/runtime/serve/socket-server.js';
import { WarmTicks } from '../../../src/runtime/serve/warm-tick.js';
import { createLogger } from '../../../src/runtime/shared/logger.js';
import { cleanEnv, runCli } from '../../support/cli.js';
import { type SocketAnswer, socketRequest } from '../../support/socket-post.js';
import { tempDir } from '../../support/temp-dir.js';
import { requestFiles, tickRequest } from '../../support/tick-request.js';

const servers: SocketServer[] = [];

async function serve(directory: string): Promise<string> {
  const path = join(directory, 'agent.sock');
  const logger = createLogger('silent');
  const ticks = new WarmTicks({ config: undefined, env: cleanEnv(), cwd: directory, logger });
  servers.push(await serveTicks(path, ticks, logger));
  return path;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Runs a program text and tells how it ended. */
function runNode(text: string): Promise<{ readonly status: number | NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', text], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ status: signal ?? code }));
  });
}

/** The code and message of a refusal. */
function refusalOf({ text }: SocketAnswer): { readonly code: string; readonly message: string } {
  return JSON.parse(text).error;
}

/** The session's files with what differs between two runs taken out: where it lies and who wrote when. */
function filesOf(session: string): unknown {
  const own = join(session, 'agents', 'robustness');
  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .replaceAll(session, '$SESSION')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const state = JSON.parse(
    readFileSync(join(own, 'detector_state.json'), 'utf8').replaceAll(session, '$SESSION'),
  );
  return {
    findings: lines(join(own, 'findings', 's.jsonl')),
    presence: lines(join(own, 'presence', 's.jsonl')),
    state,
  };
}

/** A session in which crashes mount, stop and come back, tick by tick. */
const STORY = [0, 1, 3, 3, 5, 8, 8, 8, 8, 8, 9, 0].map((crashCount, at) => ({
  crashCount,
  tick: at + 1,
  nowUnix: 1_772_442_000 + at * 60,
}));

describe('a tick over the socket', () => {
  it('decides and remembers as ticks in processes of their own do, also when both take turns', async () => {
    const root = tempDir();
    const socket = await serve(root);
    const [cold, warm, mixed] = ['cold', 'warm', 'mixed'].map((name) => {
      const session = join(root, name, 'session');
      mkdirSync(session, { recursive: true });
      return session;
    });
    if (cold === undefined || warm === undefined || mixed === undefined) throw new Error('no sessions');

    const byProcess = async (sessionDir: string, part: (typeof STORY)[number]) => {
      const { request, out } = requestFiles(sessionDir, { sessionDir, ...part });
      const { code, stderr } = await runCli(['tick', '--request', request, '--out', out]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return readFileSync(out, 'utf8').replaceAll(sessionDir, '$SESSION');
    };
    const bySocket = async (sessionDir: string, part: (typeof STORY)[number]) => {
      const { status, text } = await socketRequest(
        socket,
        JSON.stringify(tickRequest({ sessionDir, ...part })),
      );
      expect(status).toBe(200);
      return text.replaceAll(sessionDir, '$SESSION');
    };
    for (const part of STORY) {
      const expected = await byProcess(cold, part);
      expect(await bySocket(warm, part)).toBe(expected);
      expect(await (part.tick % 2 === 0 ? byProcess : bySocket)(mixed, part)).toBe(expected);
    }
    expect(filesOf(warm)).toEqual(filesOf(cold));
    expect(filesOf(mixed)).toEqual(filesOf(cold));
  });

  it('is done one after the other within a session, and beside those of others', async () => {
    const root = tempDir();
    const socket = await serve(root);
    const sessions = ['a', 'b'].map((name) => join(root, name));
    for (const session of sessions) mkdirSync(session);
    const answers = await Promise.all(
      sessions.flatMap((sessionDir) =>
        [1, 2, 3, 4].map((tick) =>
          socketRequest(socket, JSON.stringify(tickRequest({ sessionDir, tick, crashCount: 9 }))),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const session of sessions) {
      const findings = readFileSync(join(session, 'agents/robustness/findings/s.jsonl'), 'utf8');
      expect(findings.trim().split('\n')).toHaveLength(1);
    }
  });

  it('leaves no trace when nobody waits for its answer any more', async () => {
    const root = tempDir();
    const logger = createLogger('silent');
    const ticks = new WarmTicks({ config: undefined, env: cleanEnv(), cwd: root, logger });
    const request = JSON.stringify(tickRequest({ sessionDir: root }));
    await ticks.tick(Buffer.from(request), () => Promise.reject(new Error('gone')));
    expect(existsSync(join(root, 'agents/robustness/findings'))).toBe(false);
    expect(existsSync(join(root, 'agents/robustness/detector_state.lock'))).toBe(false);
  });

  it('does not tell one session of another', async () => {
    const root = tempDir();
    const env = cleanEnv();
    const ticks = new WarmTicks({ config: undefined, env, cwd: root, logger: createLogger('silent') });
    await ticks.tick(Buffer.from(JSON.stringify(tickRequest({ sessionDir: root }))), async () => undefined);
    expect(env['ROBUSTNESS_AGENT_SESSION_DIR']).toBeUndefined();
  });
});

describe('what is not to be answered', () => {
  it.each([
    ['no JSON', '{', 'RA_REQUEST_SYNTAX'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'RA_REQUEST_ENCODING'],
    ['another kind', JSON.stringify({ kind: 'x' }), 'RA_REQUEST_FIELD'],
    ['without a session', JSON.stringify({ ...tickRequest({ sessionDir: '' }) }), 'RA_SESSION_DIR'],
  ])('is refused with its code: %s', async (_what, body, code) => {
    const answer = await socketRequest(await serve(tempDir()), body);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)).toMatchObject({ code });
  });

  it.each([
    ['GET', '/tick', 405],
    ['POST', '/', 404],
  ])('has no route: %s %s', async (method, path, status) => {
    const answer = await socketRequest(await serve(tempDir()), '', { method, path });
    expect(answer.status).toBe(status);
    expect(refusalOf(answer)).toMatchObject({ code: 'RA_SERVE_ROUTE' });
  });

  it('may not be larger than the limit, and the server goes on', async () => {
    const root = tempDir();
    const socket = await serve(root);
    const answer = await socketRequest(socket, Buffer.alloc(64 * 1024 * 1024 + 1, ' ')).catch(
      () => undefined,
    );
    // The connection may be closed before the client has written it all.
    if (answer !== undefined) expect(refusalOf(answer)).toMatchObject({ code: 'RA_SERVE_TOO_LARGE' });
    expect((await socketRequest(socket, JSON.stringify(tickRequest({ sessionDir: root })))).status).toBe(200);
  });
});

describe('the socket', () => {
  it('is for its owner alone', async () => {
    const path = await serve(tempDir());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is gone after the server', async () => {
    const path = await serve(tempDir());
    await Promise.all(servers.splice(0).map((server) => server.close()));
    expect(existsSync(path)).toBe(false);
  });

  it('of a server that was killed is taken over', async () => {
    const root = tempDir();
    const path = join(root, 'agent.sock');
    const { status } = await runNode(
      `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
    );
    expect(status).toBe('SIGKILL');
    expect(lstatSync(path).isSocket()).toBe(true);
    await serve(root);
    expect((await socketRequest(path, JSON.stringify(tickRequest({ sessionDir: root })))).status).toBe(200);
  });

  it('of a living server is respected', async () => {
    const root = tempDir();
    const path = join(root, 'agent.sock');
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await expect(serve(root)).rejects.toMatchObject({ code: 'RA_SERVE_SOCKET' });
    expect(lstatSync(path).isSocket()).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('replaces no file of another kind', async () => {
    const root = tempDir();
    writeFileSync(join(root, 'agent.sock'), 'mine');
    await expect(serve(root)).rejects.toMatchObject({ code: 'RA_SERVE_SOCKET' });
    expect(readFileSync(join(root, 'agent.sock'), 'utf8')).toBe('mine');
  });

  it('needs its directory', async () => {
    const root = join(tempDir(), 'missing');
    await expect(serve(root)).rejects.toMatchObject({ code: 'RA_SERVE_SOCKET' });
  });
});
