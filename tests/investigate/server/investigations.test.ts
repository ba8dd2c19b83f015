import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.js';
import { allEvents, chat, receiptOf, startServer, typesOf } from './support.js';

/** Any JSON, as the tests below look into it. */
async function getJson(url: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await (await fetch(url)).text());
}

describe('investigations', () => {
  it('lists what runs and what was found, newest first', async () => {
    const { url, engine } = await startServer();
    await allEvents(await chat(url, 'the cart fails'));
    engine.isGated = true;
    const running = await chat(url, 'the ad fails');
    const body = await getJson(`${url}/investigations`);
    const states = Object.fromEntries(
      body.investigations.map((one: { issue_summary: string; status: string }) => [
        one.issue_summary,
        one.status,
      ]),
    );
    expect(states).toEqual({ 'the ad fails': 'running', 'the cart fails': 'finished' });
    engine.next(4);
    await allEvents(running);
  });

  it('shows one with its result, its receipts and the answer behind each', async () => {
    const { url, engine } = await startServer();
    engine.steps = [{ payload: { entries: [{ timestamp: '1777800000000000000', line: 'boom' }] } }];
    const response = await chat(url, 'the cart fails');
    await allEvents(response);
    const id = response.headers.get('x-investigation-id');
    const one = await getJson(`${url}/investigations/${id}`);
    expect(one).toMatchObject({
      investigation_id: id,
      status: 'finished',
      issue: 'the cart fails',
      error: null,
    });
    expect(one.receipts).toEqual([receiptOf(1)]);
    const evidence = await getJson(`${url}/investigations/${id}/receipts/r001`);
    expect(evidence.payload.entries[0].line).toBe('boom');
    expect((await fetch(`${url}/investigations/${id}/receipts/r002`)).status).toBe(404);
  });

  it('shows a run that a dead process left behind as broken off, with its steps', async () => {
    const root = tempDir();
    const id = 'inv-1777800000-0123abcd';
    mkdirSync(join(root, id));
    writeFileSync(join(root, id, 'receipts.jsonl'), `${JSON.stringify(receiptOf(1))}\n{"receipt_id":"r0`);
    const { url } = await startServer({ root });
    const body = await getJson(`${url}/investigations`);
    expect(body.investigations).toMatchObject([{ investigation_id: id, status: 'aborted' }]);
    const events = await allEvents(await fetch(`${url}/investigations/${id}/events`));
    expect(typesOf(events)).toEqual(['step', 'error']);
    expect(events[0]?.data).toMatchObject({ confidence_after: null, receipt_id: 'r001' });
  });

  it('cancels a running one and keeps what it found', async () => {
    const { url, engine } = await startServer();
    engine.isGated = true;
    const response = await chat(url, 'the cart fails');
    const id = response.headers.get('x-investigation-id');
    engine.next();
    expect((await fetch(`${url}/investigations/${id}`, { method: 'DELETE' })).status).toBe(202);
    const events = await allEvents(response);
    expect(events.at(-1)?.data).toMatchObject({ type: 'error', code: 'cancelled' });
    const one = await getJson(`${url}/investigations/${id}`);
    expect(one.status).toBe('aborted');
    expect((await fetch(`${url}/investigations/${id}`, { method: 'DELETE' })).status).toBe(409);
  });

  it.each(['inv-1-zzzzzzzz', '..%2f..%2fetc', 'inv-1-00000000', '%00'])('knows nothing of %s', async (id) => {
    const { url } = await startServer();
    const statuses = [
      (await fetch(`${url}/investigations/${id}`)).status,
      (await fetch(`${url}/investigations/${id}/events`)).status,
      (await fetch(`${url}/investigations/${id}/receipts/r001`)).status,
      (await fetch(`${url}/investigations/${id}`, { method: 'DELETE' })).status,
    ];
    expect(statuses).toEqual([404, 404, 404, 404]);
  });

  it('ends streams with the reason when the server is stopped', async () => {
    const server = await startServer();
    server.engine.isGated = true;
    const response = await chat(server.url, 'the cart fails');
    const [events] = await Promise.all([allEvents(response), server.close()]);
    expect(events.at(-1)?.data).toMatchObject({ type: 'error', code: 'cancelled' });
  });
});
