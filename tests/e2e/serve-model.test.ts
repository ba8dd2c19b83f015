import { describe, expect, it, onTestFinished } from 'vitest';
import { allEvents, chat, eventsOf } from '../investigate/server/support.js';
import { type Play, startProvider } from '../support/provider-server.js';
import { serve, sessionWithLog, urlIn } from '../support/serving.js';

const PASTED = 'ghp_canarycanary0123456789pasted';
const KEY = 'sk-canary-0123456789-provider';

async function serveWith(plays: readonly Play[]) {
  const provider = await startProvider(plays);
  onTestFinished(() => provider.close());
  const serving = serve(['--port', '0', '--session-dir', sessionWithLog()], {
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    OPENAI_API_KEY: KEY,
  });
  return { provider, serving, url: urlIn(await serving.line()) };
}

describe('serve with a model', () => {
  it('says that one takes part', async () => {
    const { url } = await serveWith(['hang']);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ llm: true });
  });

  it('answers without the model when that refuses, and sends it no credential', async () => {
    const { url, provider } = await serveWith([
      { status: 401, body: { error: { message: `bad key ${KEY}` } } },
    ]);
    const message = `github_token: ${PASTED}\nthe engine ran out of memory, ${PASTED}`;
    const events = await allEvents(await chat(url, message));
    expect(events.at(-1)?.data).toMatchObject({ type: 'final', result: { mode: 'deterministic' } });
    expect(provider.requests.length).toBeGreaterThan(0);
    for (const { text } of provider.requests) expect(text).not.toContain(PASTED);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  it('ends when it is cancelled, although the model hangs', async () => {
    const { url, provider } = await serveWith(['hang']);
    const response = await chat(url, 'the engine ran out of memory');
    await provider.arrived(1);
    const id = response.headers.get('x-investigation-id');
    expect((await fetch(`${url}/investigations/${id}`, { method: 'DELETE' })).status).toBe(202);
    expect((await allEvents(response)).at(-1)?.data).toMatchObject({ type: 'error', code: 'cancelled' });
    const stored: unknown = await (await fetch(`${url}/investigations/${id}`)).json();
    expect(stored).toMatchObject({ status: 'aborted', result: { budget: { exhausted: 'cancelled' } } });
  });

  it('is stopped by a signal in the middle, and tells who listens', async () => {
    const { url, provider, serving } = await serveWith(['hang']);
    const response = await chat(url, 'the engine ran out of memory');
    await provider.arrived(1);
    const seen: unknown[] = [];
    const ended = serving.end();
    for await (const { data } of eventsOf(response)) seen.push(data['type']);
    expect(seen.at(-1)).toBe('error');
    expect(await ended).toBe(0);
  });
});
