import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allEvents, chat, typesOf } from '../investigate/server/support.js';
import { runCli } from '../support/cli.js';
import { filesBelow } from '../support/files-below.js';
import { serve, sessionWithLog, urlIn } from '../support/serving.js';
import { socketRequest } from '../support/socket-post.js';
import { tempDir } from '../support/temp-dir.js';

describe('serve', () => {
  it('answers a question about a session, keeps the result there, and ends on a signal', async () => {
    const session = sessionWithLog();
    const serving = serve(['--port', '0', '--session-dir', session]);
    const url = urlIn(await serving.line());
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      status: 'ok',
      running: 0,
      llm: false,
    });
    expect(await (await fetch(url)).text()).toContain('<title>Investigations');
    const events = await allEvents(await chat(url, 'the engine ran out of memory'));
    expect(typesOf(events).at(-1)).toBe('final');
    expect(typesOf(events).filter((type) => type === 'step').length).toBeGreaterThan(0);
    const stored = readdirSync(join(session, 'agents', 'robustness', 'investigations'));
    expect(stored.filter((name) => name.startsWith('inv-'))).toHaveLength(1);
    expect(await serving.end()).toBe(0);
  });

  it('lets no credential into files, events or its own output', async () => {
    const session = sessionWithLog();
    const canaries = {
      pasted: 'ghp_canarycanary0123456789pasted',
      operator: 'Basic Y2FuYXJ5LW9wZXJhdG9yOjEyMzQ1Ng==',
    };
    writeFileSync(
      join(session, 'logs', 'other.log'),
      `ERROR login failed: ${canaries.operator} ${canaries.pasted}\n`,
    );
    const serving = serve(['--port', '0', '--session-dir', session], { LOKI_AUTH: canaries.operator });
    const first = await serving.line();
    const message = `github_token: ${canaries.pasted}\nlogin failed with ${canaries.pasted}, ${canaries.operator}`;
    const events = await allEvents(await chat(urlIn(first), message));
    expect(typesOf(events).at(-1)).toBe('final');
    const own = filesBelow(join(session, 'agents')).map((path) => readFileSync(path, 'utf8'));
    const seen = [JSON.stringify(events), first, ...own].join('\n');
    for (const canary of Object.values(canaries)) expect(seen).not.toContain(canary.replace('Basic ', ''));
    expect(own.length).toBeGreaterThan(2);
    await serving.end();
  });

  it('works off the queue of the session', async () => {
    const session = sessionWithLog();
    const queue = join(session, 'agents', 'robustness', 'investigations', 'queue');
    mkdirSync(queue, { recursive: true });
    const now = Math.floor(Date.now() / 1000);
    const id = `job-${now}-0123abcd`;
    const job = {
      schema_version: 1,
      job_id: id,
      attempts: 0,
      created_unix: now,
      session_id: 'session',
      tick_index: 1,
      symptom_name: 'oom_detected',
      severity: 'high',
      subject: {},
      evidence: {},
      summary: 'the engine ran out of memory',
      incident_unix: now,
      snapshot: null,
    };
    writeFileSync(join(queue, `${id}.json`), JSON.stringify(job));
    const serving = serve(['--port', '0', '--session-dir', session]);
    const url = urlIn(await serving.line());
    expect(await serving.line()).toContain('oom_detected');
    const list = await (await fetch(`${url}/investigations`)).json();
    expect(list).toMatchObject({ investigations: [{ status: 'finished' }] });
    expect(existsSync(join(queue, `${id}.json`))).toBe(false);
    expect(await serving.end()).toBe(0);
  });

  it('serves page and socket when both are asked for', async () => {
    const socket = join(tempDir(), 's.sock');
    const serving = serve(['--socket', socket, '--port', '0']);
    expect(await serving.line()).toContain(socket);
    const url = urlIn(await serving.line());
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await socketRequest(socket, '', { path: '/other' })).status).toBe(404);
    expect(await serving.end()).toBe(0);
  });

  it.each([
    [['--host', '0.0.0.0'], {}, 'RA_CONFIG_INVALID', 'INVESTIGATE_TOKEN'],
    [['--port', 'http'], {}, 'RA_CONFIG_INVALID', '--port'],
    [['--repo', 'nothing'], {}, 'RA_USAGE', 'OWNER/NAME'],
    [[], { INVESTIGATE_MAX_WALL_S: 'long' }, 'RA_CONFIG_INVALID', 'INVESTIGATE_MAX_WALL_S'],
  ])('does not begin with %j %j', async (args, env, code, word) => {
    const { code: exit, stderr } = await runCli(['serve', ...args], { env, cwd: tempDir() });
    expect(exit).toBe(2);
    expect(stderr).toContain(code);
    expect(stderr).toContain(word);
  });

  it('says what is wrong with an address in use', async () => {
    const serving = serve(['--port', '0']);
    const { port } = new URL(urlIn(await serving.line()));
    const second = await runCli(['serve', '--port', port], { cwd: tempDir() });
    expect(second).toMatchObject({ code: 2 });
    expect(second.stderr).toMatch(/^RA_SERVE_ADDRESS: /);
  });
});
