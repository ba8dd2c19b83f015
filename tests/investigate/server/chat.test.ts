import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvestigationFailure } from '../../../src/investigate/server/investigator.js';
import { filesBelow } from '../../support/files-below.js';
import { allEvents, chat, eventsOf, startServer, typesOf } from './support.js';

const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

describe('POST /chat', () => {
  it('names what is missing, tells each step with its receipt, and ends with the result', async () => {
    const { url } = await startServer();
    const response = await chat(url, 'the cart fails');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-session-id')).toMatch(/^[0-9a-f]{32}$/);
    const events = await allEvents(response);
    expect(typesOf(events)).toEqual(['elicit', 'progress', 'step', 'step', 'step', 'final']);
    expect(events[0]?.data).toMatchObject({ wants: ['jaeger'] });
    expect(events[2]).toEqual({
      id: 1,
      data: {
        type: 'step',
        round: 1,
        tool: 'query_logs',
        result_summary: 'ok, 2 entries',
        confidence_after: 0.5,
        receipt_id: 'r001',
        status: 'ok',
      },
    });
    expect(events[5]).toMatchObject({
      id: 4,
      data: {
        session_id: response.headers.get('x-session-id'),
        result: {
          investigation_id: response.headers.get('x-investigation-id'),
          issue_summary: 'the cart fails',
        },
      },
    });
  });

  it('names what is missing once in a session', async () => {
    const { url } = await startServer();
    const first = await chat(url, 'the cart fails');
    await allEvents(first);
    const second = await chat(url, 'it fails again', first.headers.get('x-session-id'));
    expect(second.headers.get('x-session-id')).toBe(first.headers.get('x-session-id'));
    expect(typesOf(await allEvents(second))).not.toContain('elicit');
  });

  it('takes settings over and investigates only the rest', async () => {
    const { url, engine } = await startServer();
    const message = `service_name: cart\nrepo: https://github.com/acme/shop.git\ngithub_token: ${TOKEN}\nthe cart fails`;
    const events = await allEvents(await chat(url, message));
    expect(typesOf(events)[0]).toBe('setup');
    const [question] = engine.questions;
    expect(question?.issue).toMatchObject({ description: 'the cart fails', service_name: 'cart' });
    expect(question?.settings.repo).toBe('acme/shop');
    expect(question?.settings.secrets.github_token?.reveal()).toBe(TOKEN);
    expect(JSON.stringify(question)).not.toContain(TOKEN);
  });

  it('only tells the setup when there is nothing to investigate', async () => {
    const { url, engine } = await startServer();
    const settings = await allEvents(await chat(url, 'repo: acme/shop'));
    expect(typesOf(settings)).toEqual(['setup']);
    expect(settings[0]?.data).toMatchObject({
      configured: ['loki'],
      unavailable: ['jaeger'],
      needs_input: ['repo'],
    });
    const greeting = await allEvents(await chat(url, '  \n '));
    expect(greeting[0]?.data['message']).toContain('Describe what fails');
    expect(engine.questions).toEqual([]);
  });

  it('lets no pasted token into events, files or questions', async () => {
    const { url, engine } = await startServer();
    engine.steps = [{ summary: 'ok' }];
    const events = await allEvents(await chat(url, `my github token is ${TOKEN}, why does the cart fail?`));
    expect(JSON.stringify(events)).not.toContain(TOKEN);
    expect(events[0]?.data['message']).toContain('used as github_token');
    for (const file of filesBelow(engine.root)) {
      expect(readFileSync(file, 'utf8')).not.toContain(TOKEN);
    }
    expect(engine.questions[0]?.issue.description).toContain('[redacted:token]');
  });

  it('ends with the code and a safe sentence when the engine gives up', async () => {
    const { url, engine, failures } = await startServer();
    engine.failure = new InvestigationFailure('budget', 'The budget was spent.');
    const spent = await allEvents(await chat(url, 'the cart fails'));
    expect(spent.at(-1)).toMatchObject({
      id: 4,
      data: { type: 'error', code: 'budget', message: 'The budget was spent.' },
    });
    expect(failures).toEqual([]);
  });

  it('shows nothing of an exception, and tells the log', async () => {
    const { url, engine, failures } = await startServer();
    engine.failure = new Error('GET http://user:hunter2@loki.internal failed');
    const events = await allEvents(await chat(url, 'the cart fails'));
    expect(events.at(-1)?.data['code']).toBe('internal');
    expect(JSON.stringify(events)).not.toContain('loki.internal');
    expect(failures).toEqual([engine.failure]);
  });

  it('refuses a second investigation of a session while one runs', async () => {
    const { url, engine } = await startServer();
    engine.isGated = true;
    const first = await chat(url, 'the cart fails');
    const second = await chat(url, 'so does the ad', first.headers.get('x-session-id'));
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ type: 'error', code: 'busy' });
    engine.next(4);
    expect(typesOf(await allEvents(first)).at(-1)).toBe('final');
    const third = await chat(url, 'so does the ad', first.headers.get('x-session-id'));
    engine.next(4);
    expect(typesOf(await allEvents(third)).at(-1)).toBe('final');
  });

  it('runs as many at once as allowed', async () => {
    const { url, engine } = await startServer({ limits: { maxConcurrent: 2 } });
    engine.isGated = true;
    const running = [await chat(url, 'one'), await chat(url, 'two')];
    const third = await chat(url, 'three');
    expect(third.status).toBe(409);
    engine.next(8);
    for (const response of running) expect(typesOf(await allEvents(response)).at(-1)).toBe('final');
  });

  it('sends pings while nothing happens', async () => {
    const { url, engine } = await startServer({ limits: { pingMs: 5 } });
    engine.isGated = true;
    const response = await chat(url, 'the cart fails');
    const decoder = new TextDecoder();
    let seen = '';
    for await (const chunk of response.body ?? []) {
      seen += decoder.decode(chunk);
      if (seen.includes('\n\n: ping\n\n')) break;
    }
    expect(seen).toContain(': ping');
  });

  it('never adopts an id that a client made up', async () => {
    const { url } = await startServer();
    const made = 'f'.repeat(32);
    const response = await chat(url, 'repo: acme/shop', made);
    await allEvents(response);
    expect(response.headers.get('x-session-id')).not.toBe(made);
  });

  it('gives a session of another token to nobody else', async () => {
    const { url } = await startServer({ token: 'correct horse' });
    const headers = { authorization: 'Bearer correct horse' };
    const first = await chat(url, 'repo: acme/shop', null, headers);
    await allEvents(first);
    const again = await chat(url, '', first.headers.get('x-session-id'), headers);
    await allEvents(again);
    expect(again.headers.get('x-session-id')).toBe(first.headers.get('x-session-id'));
  });
});

describe('coming back to a run', () => {
  it('goes on after the last event that arrived', async () => {
    const { url, engine } = await startServer();
    engine.isGated = true;
    const abort = new AbortController();
    const response = await fetch(`${url}/chat`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'the cart fails' }),
    });
    engine.next(2);
    for await (const { id } of eventsOf(response)) if (id === 2) break;
    abort.abort();
    const id = response.headers.get('x-investigation-id');
    const resumed = await fetch(`${url}/investigations/${id}/events`, { headers: { 'last-event-id': '1' } });
    engine.next(2);
    const events = await allEvents(resumed);
    expect(events.filter((event) => event.id !== null).map((event) => event.id)).toEqual([2, 3, 4]);
    expect(typesOf(events).at(-1)).toBe('final');
  });

  it('reads the same events from the files once the process is another', async () => {
    const first = await startServer();
    const live = await allEvents(await chat(first.url, 'the cart fails'));
    await first.close();
    const second = await startServer({ root: first.engine.root });
    const id = live.at(-1)?.data['result'];
    const investigation =
      typeof id === 'object' && id !== null && 'investigation_id' in id ? id.investigation_id : '';
    const stored = await allEvents(
      await fetch(`${second.url}/investigations/${investigation}/events?after=0`),
    );
    const numbered = live.filter((event) => event.id !== null);
    expect(stored.slice(0, -1)).toEqual(numbered.slice(0, -1));
    expect(stored.at(-1)?.id).toBe(numbered.at(-1)?.id);
    expect(stored.at(-1)?.data['result']).toEqual(numbered.at(-1)?.data['result']);
  });

  it('cancels a run that nobody listens to any more', async () => {
    const { url, engine } = await startServer({ limits: { detachMs: 1 } });
    engine.isGated = true;
    const abort = new AbortController();
    await fetch(`${url}/chat`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'the cart fails' }),
    });
    const [signal] = engine.signals;
    const cancelled = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    abort.abort();
    await cancelled;
    expect(signal?.aborted).toBe(true);
  });
});
