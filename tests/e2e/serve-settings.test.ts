import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allEvents, chat } from '../investigate/server/support.js';
import { runCli } from '../support/cli.js';
import { completion, startProvider } from '../support/provider-server.js';
import { serve, sessionWithLog, urlIn } from '../support/serving.js';
import { tempDir } from '../support/temp-dir.js';

/** A Loki that has nothing, and counts who asks. */
async function emptyLoki(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'success', data: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

async function serving(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const started = serve(['--port', '0', ...args], { ROBUSTNESS_DISABLE_LOCAL_PROBE: '1', ...env });
  return urlIn(await started.line());
}

const ALLOWED = { INVESTIGATE_ALLOW_CHAT_URLS: 'true', INVESTIGATE_URL_ALLOWLIST: '127.0.0.1, localhost' };

describe('addresses out of a chat', () => {
  it('reach no private network, whatever the list of hosts says', async () => {
    const loki = await emptyLoki();
    const url = await serving(['--no-llm'], ALLOWED);
    for (const host of ['127.0.0.1', 'localhost']) {
      const message = `loki_url: ${loki.url.replace('127.0.0.1', host)}\nservice_name: cart\ncart fails`;
      const events = await allEvents(await chat(url, message));
      expect(events[0]?.data).toMatchObject({ type: 'setup', configured: ['loki'] });
      const steps = events.filter(({ data }) => data['type'] === 'step').map(({ data }) => data);
      expect(steps.length).toBeGreaterThan(0);
      expect(steps[0]).toMatchObject({
        tool: 'list_log_services',
        status: 'error',
        result_summary: expect.stringContaining('a private address that no configuration names'),
      });
    }
    expect(loki.asked).toEqual([]);
  });

  it('of the operator may be private', async () => {
    const loki = await emptyLoki();
    const url = await serving(['--no-llm'], { LOKI_URL: loki.url });
    await allEvents(await chat(url, 'service_name: cart\ncart fails'));
    expect(loki.asked.length).toBeGreaterThan(0);
  });

  it.each<[string, Record<string, string>]>([
    ['where a chat may name none', {}],
    ['on a host that is not listed', { ...ALLOWED, INVESTIGATE_URL_ALLOWLIST: 'loki.example' }],
    ['without a list', { INVESTIGATE_ALLOW_CHAT_URLS: 'true' }],
  ])('are not taken %s', async (_what, env) => {
    const loki = await emptyLoki();
    const url = await serving(['--no-llm'], env);
    const events = await allEvents(await chat(url, `loki_url: ${loki.url}`));
    expect(events.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        type: 'setup',
        configured: [],
        message: expect.stringContaining('loki_url was not taken'),
      }),
    ]);
    expect(loki.asked).toEqual([]);
  });
});

describe('the settings of serve', () => {
  it('come from a file, too', async () => {
    const config = join(tempDir(), 'robustness.json');
    const token = 'a-token-that-is-long-enough';
    writeFileSync(config, JSON.stringify({ investigate_token: token, loki_url: 'http://127.0.0.1:1' }));
    const url = await serving(['--no-llm', '--config', config]);
    const capabilities = (headers: Record<string, string>) => fetch(`${url}/capabilities`, { headers });
    expect((await capabilities({})).status).toBe(401);
    const answer = await capabilities({ authorization: `Bearer ${token}` });
    expect(await answer.json()).toEqual({
      configured: ['loki'],
      unavailable: ['jaeger', 'github', 'sandbox', 'session', 'source', 'snapshot'],
      needs_input: ['repo'],
    });
  });

  it('say that this machine can be looked at only where it may be', async () => {
    const url = await serving(['--no-llm'], { ROBUSTNESS_DISABLE_LOCAL_PROBE: '0' });
    expect(await (await fetch(`${url}/capabilities`)).json()).toMatchObject({ configured: ['snapshot'] });
  });

  it.each<[Record<string, string>, readonly string[], string]>([
    [{ INVESTIGATE_HOST: '0.0.0.0' }, [], 'RA_CONFIG_INVALID: 0.0.0.0 can be reached from elsewhere'],
    [{ INVESTIGATE_DETACH_S: 'soon' }, [], 'INVESTIGATE_DETACH_S'],
    [{ INVESTIGATE_MAX_WALL_S: '5m' }, [], 'INVESTIGATE_MAX_WALL_S'],
    [{}, ['--port', 'http'], 'RA_CONFIG_INVALID: --port is "http"'],
    [{}, ['--port', '65536'], 'RA_CONFIG_INVALID: --port is "65536"'],
  ])('that cannot be used end it at once: %j %j', async (env, args, said) => {
    const { code, stderr } = await runCli(['serve', ...args], { env, cwd: tempDir() });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});

describe('a conversation with a model', () => {
  const submission = completion(
    {
      content: null,
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: {
            name: 'submit_result',
            arguments: JSON.stringify({
              issue_summary: 'the engine died',
              root_cause: { description: 'it ran out', confidence: 0.5, error_type: 'oom', claims: [] },
              recommended_fix: 'less',
            }),
          },
        },
      ],
    },
    { finish_reason: 'tool_calls' },
  );

  it('goes on where it was, and begins anew with another session', async () => {
    const provider = await startProvider([submission]);
    onTestFinished(() => provider.close());
    const url = await serving(['--session-dir', sessionWithLog()], {
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      OPENAI_API_KEY: 'sk-test-0123456789',
    });
    const first = await chat(url, 'the engine died at noon');
    const session = first.headers.get('x-session-id') ?? '';
    expect((await allEvents(first)).at(-1)?.data['type']).toBe('final');
    const before = provider.requests.length;

    await allEvents(await chat(url, 'what would keep it alive?', session));
    const [followUp] = provider.requests.slice(before);
    expect(followUp?.text).toContain('the engine died at noon');
    expect(followUp?.text).toContain('Asked and answered before in this conversation');
    expect(followUp?.text).toMatch(/earlier-r\d{3} search_session_logs/);

    const other = provider.requests.length;
    await allEvents(await chat(url, 'and another thing'));
    expect(provider.requests[other]?.text).not.toContain('the engine died at noon');
  });
});
