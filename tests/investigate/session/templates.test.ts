import { afterEach, describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/investigate/ledger/dispatcher.js';
import { createRedactor } from '../../../src/investigate/safety/redactor.js';
import { openWorld } from '../fakes/run-case.js';
import { type BuiltSession, buildSession, stamp, INCIDENT as T } from './build-session.js';

const CANARY = 'ghp_c4n4ryc4n4ryc4n4ry01';
let session: BuiltSession | undefined;
afterEach(() => session?.close());

async function search(args: object) {
  if (session === undefined) throw new Error('no session');
  const dispatcher = createDispatcher({
    tools: session.tools(),
    redactor: createRedactor([]),
    sink: { receipt: () => undefined, payload: () => undefined },
    now: () => T + 60,
    signal: new AbortController().signal,
  });
  const answer = await dispatcher.call('search_session_logs', args);
  if (answer.receipt === null) throw new Error(answer.note);
  return answer;
}

describe('templates of log lines', () => {
  it('count what a search found beyond its limit, with first and last time', async () => {
    const lines = Array.from(
      { length: 300 },
      (_, index) => `${stamp(T + index)} ERROR HIP out of memory. Tried to allocate ${index}.00 GiB\n`,
    );
    session = buildSession({ files: { 'runs/explore/t-12/server.log': lines.join('') } });
    const { data, receipt } = await search({ pattern: 'out of memory', limit: 5 });
    expect(data['matches']).toHaveLength(5);
    expect(data['templates']).toEqual([
      {
        template: '<time> ERROR HIP out of memory. Tried to allocate <n> GiB',
        count: 300,
        first_unix: T,
        last_unix: T + 299,
      },
    ]);
    expect(receipt).toMatchObject({ count: 5, truncated: true });
  });

  it('leave out lines that are outside of the time asked for', async () => {
    const lines = [-4000, -3000, 0, 1].map((at) => `${stamp(T + at)} ERROR HIP out of memory ${at}\n`);
    session = buildSession({ files: { 'runs/explore/t-12/server.log': lines.join('') } });
    const { data } = await search({ pattern: 'out of memory', since_unix: T - 10, until_unix: T + 10 });
    expect(data['templates']).toMatchObject([{ count: 2, first_unix: T, last_unix: T + 1 }]);
  });

  it('hold no secret', async () => {
    const line = `ERROR cannot log in with ${CANARY}\n`;
    session = buildSession({ files: { 'a.log': line.repeat(3) } });
    const { data } = await search({ pattern: 'log in' });
    expect(JSON.stringify(data)).not.toContain(CANARY);
    expect(data['templates']).toMatchObject([{ template: 'ERROR cannot log in with [redacted:token]' }]);
  });

  it('stand beside the lines of a service', async () => {
    const world = await openWorld('cartFailure', false);
    try {
      const tool = world.services.tools.find(({ name }) => name === 'query_logs');
      const outcome = await tool?.run(
        { service: 'cart', query: '', time_window_minutes: 60, limit: 500 },
        { clean: (line) => line, signal: new AbortController().signal, now: () => world.nowUnix },
      );
      const entries = outcome?.data['entries'];
      const templates = outcome?.data['templates'];
      if (!Array.isArray(entries) || !Array.isArray(templates)) throw new Error('no answer');
      const counted = templates.reduce((sum, { count }) => sum + count, 0);
      expect(templates.length).toBeGreaterThan(0);
      expect(templates.length).toBeLessThan(entries.length / 2);
      expect(counted).toBeLessThanOrEqual(entries.length);
    } finally {
      await world.close();
    }
  });
});
