import { appendFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.js';
import { allEvents, chat, eventsOf, receiptOf, startServer, typesOf } from './support.js';

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
    utimesSync(join(root, id, 'receipts.jsonl'), 1_777_800_000, 1_777_800_000);
    const { url } = await startServer({ root });
    const body = await getJson(`${url}/investigations`);
    expect(body.investigations).toMatchObject([{ investigation_id: id, status: 'aborted' }]);
    const events = await allEvents(await fetch(`${url}/investigations/${id}/events`));
    expect(typesOf(events)).toEqual(['step', 'error']);
    expect(events[0]?.data).toMatchObject({ confidence_after: null, receipt_id: 'r001' });
  });

  it('follows one that another process is at work on', async () => {
    const root = tempDir();
    const id = 'inv-1777800000-0123abcd';
    const receipts = join(root, id, 'receipts.jsonl');
    mkdirSync(join(root, id));
    writeFileSync(receipts, `${JSON.stringify(receiptOf(1))}\n`);
    const { url } = await startServer({ root });
    expect((await getJson(`${url}/investigations`)).investigations).toMatchObject([{ status: 'running' }]);
    const seen: unknown[] = [];
    for await (const { id: number, data } of eventsOf(await fetch(`${url}/investigations/${id}/events`))) {
      seen.push(data['type']);
      if (number === 1) appendFileSync(receipts, `${JSON.stringify(receiptOf(2))}\n`);
      if (number === 2) utimesSync(receipts, 1_777_800_000, 1_777_800_000);
    }
    expect(seen).toEqual(['step', 'step', 'error']);
  });

  it('answers 204 to a client that has everything', async () => {
    const { url, engine } = await startServer();
    const response = await chat(url, 'the cart fails');
    const last = (await allEvents(response)).at(-1)?.id;
    const events = `${url}/investigations/${response.headers.get('x-investigation-id')}/events`;
    const again = await fetch(events, { headers: { 'last-event-id': String(last) } });
    expect(again.status).toBe(204);
    const other = await startServer({ root: engine.root });
    const stored = await fetch(events.replace(url, other.url), {
      headers: { 'last-event-id': String(last) },
    });
    expect(stored.status).toBe(204);
  });

  it.each([
    '{',
    '[]',
    '{"root_cause":{}}',
    '{"issue_summary":"x","investigation_steps":[],"root_cause":{"claims":[1]}}',
  ])('takes no result.json that holds %s for a result', async (text) => {
    const root = tempDir();
    const id = 'inv-1777800000-0123abcd';
    mkdirSync(join(root, id));
    writeFileSync(join(root, id, 'result.json'), text);
    utimesSync(join(root, id), 1_777_800_000, 1_777_800_000);
    const { url } = await startServer({ root });
    expect(await getJson(`${url}/investigations/${id}`)).toMatchObject({ status: 'aborted', result: null });
  });

  it('follows no link out of the directory', async () => {
    const root = tempDir();
    const outside = join(tempDir(), 'secret.json');
    writeFileSync(outside, '{"secret":1}');
    const id = 'inv-1777800000-0123abcd';
    mkdirSync(join(root, id, 'payloads'), { recursive: true });
    writeFileSync(join(root, id, 'receipts.jsonl'), `${JSON.stringify(receiptOf(1))}\n`);
    symlinkSync(outside, join(root, id, 'payloads', 'r001.json'));
    const { url } = await startServer({ root });
    const { payload } = await getJson(`${url}/investigations/${id}/receipts/r001`);
    expect(payload).toBeNull();
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
