import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import type { CarriedReceipt, PreviousTurn } from '../../../src/investigate/previous-turn.js';
import { investigate, type RunSetup } from '../../../src/investigate/run.js';
import { openWorld, setupOf, type World } from '../fakes/run-case.js';
import { scripted, type Turn } from './scripted-model.js';
import { QUOTE, submit } from './submissions.js';

const FIRST = 'inv-1780000000-00000001';
const SECOND = 'inv-1780000000-00000002';

async function world(): Promise<World> {
  const opened = await openWorld('cartFailure', true);
  onTestFinished(() => opened.close());
  return opened;
}

/** A first turn as a conversation remembers it. */
async function firstTurn(place: World): Promise<PreviousTurn> {
  let receipts: readonly CarriedReceipt[] = [];
  const setup = {
    ...setupOf(place, FIRST),
    onEnd: (carried: readonly CarriedReceipt[]) => {
      receipts = carried;
    },
  };
  return { texts: ['why do carts fail?'], result: await investigate(setup), receipts };
}

/** A follow-up about something for which nothing is collected anew. */
async function followUp(
  place: World,
  previous: PreviousTurn,
  turns: readonly Turn[],
  change: Partial<RunSetup> = {},
): Promise<{ result: HealResult; prompt: string; answers: string[]; ledger: Record<string, unknown>[] }> {
  const model = scripted(turns);
  const setup = setupOf(place, SECOND);
  const result = await investigate({
    ...setup,
    question: { ...setup.question, text: 'and what would fix it?', serviceName: 'nobody' },
    previous,
    ...change,
    continueWithModel: modelContinuation({
      model,
      config: place.config,
      signal: setup.signal,
      nonce: 'nonce',
    }),
  });
  const [first] = model.requests[0]?.messages ?? [];
  const answers = (model.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ content }) => content) : [],
  );
  const ledger = readFileSync(join(place.directory, SECOND, 'receipts.jsonl'), 'utf8');
  return {
    result,
    prompt: first?.role === 'user' ? first.text : '',
    answers,
    ledger: ledger
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

/** Under which name the first turn's log receipt may be cited. */
function earlierLog({ receipts }: PreviousTurn): string {
  const found = receipts.find(({ payload }) => payload.includes(QUOTE));
  return `earlier-${found?.evidence.receipt.receipt_id}`;
}

const claim = (id: string): Turn =>
  submit({
    service: 'cart',
    claims: [{ text: 'the store is not reached', receipt_ids: [id], quote: QUOTE }],
  });

describe('a later turn of a conversation', () => {
  it('is told what was asked and found before, as a lead, and of no tool output', async () => {
    const place = await world();
    const previous = await firstTurn(place);
    const { prompt } = await followUp(place, previous, [submit({ error_type: 'unknown', confidence: 0.5 })]);
    expect(prompt).toContain('why do carts fail?');
    expect(prompt).toMatch(/Asked and answered before in this conversation; a lead, no evidence/);
    expect(prompt).toContain('"error_type":"runtime_error"');
    expect(prompt).toContain(`- ${earlierLog(previous)} query_logs`);
    expect(prompt).not.toContain('"entries"');
  });

  it('may cite a receipt of the turn before, which is copied into its own ledger', async () => {
    const place = await world();
    const previous = await firstTurn(place);
    const { result, ledger } = await followUp(place, previous, [claim(earlierLog(previous))]);
    const copied = ledger.filter(({ cached }) => cached === true);
    expect(copied).toEqual([
      expect.objectContaining({ tool: 'query_logs', note: expect.stringContaining(FIRST), status: 'ok' }),
    ]);
    const [own] = copied.map(({ receipt_id: id }) => id);
    expect(own).toBe(`r${String(ledger.length).padStart(3, '0')}`);
    expect(result).toMatchObject({
      mode: 'llm',
      root_cause: { service: 'cart', claims: [{ receipt_ids: [own], verified: true }] },
    });
    const payload = readFileSync(join(place.directory, SECOND, 'payloads', `${own}.json`), 'utf8');
    expect(payload).toContain(QUOTE);
  });

  it('may read one again', async () => {
    const place = await world();
    const previous = await firstTurn(place);
    const again: Turn = { call: 'read_receipt', args: { receipt_id: earlierLog(previous) } };
    const { answers } = await followUp(place, previous, [
      again,
      submit({ error_type: 'unknown', confidence: 0.5 }),
    ]);
    expect(answers[0]).toContain(QUOTE);
  });

  it('begins with an empty ledger: what is not cited is not copied', async () => {
    const place = await world();
    const previous = await firstTurn(place);
    const { ledger, result } = await followUp(place, previous, [
      submit({ error_type: 'unknown', confidence: 0.5 }),
    ]);
    expect(ledger.filter(({ cached }) => cached === true)).toEqual([]);
    expect(result.root_cause.confidence_level).toBe('low');
  });

  it.each<[string, (id: string) => string]>([
    ['by the number that it had there', (id) => id.replace('earlier-', '')],
    ['that never was', () => 'earlier-r999'],
  ])('cannot cite one %s', async (_what, nameOf) => {
    const place = await world();
    const previous = await firstTurn(place);
    const cite = claim(nameOf(earlierLog(previous)));
    const { result, ledger } = await followUp(place, previous, [cite, cite, cite]);
    expect(ledger.filter(({ cached }) => cached === true)).toEqual([]);
    expect(result.root_cause.claims).toMatchObject([{ verified: false }]);
    expect(result.root_cause.confidence_level).toBe('low');
  });

  it('cannot cite one that is ten minutes old', async () => {
    const place = await world();
    const previous = await firstTurn(place);
    const at = (later: number) => ({ now: () => place.nowUnix + later });
    const cite = claim(earlierLog(previous));
    const young = await followUp(place, previous, [cite], at(599));
    expect(young.result.root_cause.claims).toMatchObject([{ verified: true }]);
    const old = await followUp(place, previous, [cite, cite, cite], at(600));
    expect(old.prompt).not.toContain('earlier-r');
    expect(old.result.root_cause.claims).toMatchObject([{ verified: false }]);
  });
});
