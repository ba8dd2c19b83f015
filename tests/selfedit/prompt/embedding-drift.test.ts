import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbedder } from '../../../src/llm/embeddings.js';
import { demoEdits } from '../../../src/selfedit/demo/demo-edits.js';
import { demoParts, demoProposal, demoSettings } from '../../../src/selfedit/demo/run-demo.js';
import { sha256 } from '../../../src/selfedit/hash.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import { type DriftSource, DriftUnavailable } from '../../../src/selfedit/prompt/drift-source.js';
import { embeddingDrift } from '../../../src/selfedit/prompt/embedding-drift.js';
import { EmbeddingStore } from '../../../src/selfedit/store/embedding-store.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { notingClock, openAiAt } from '../../llm/support.js';
import { type Play, type SeenRequest, startProvider } from '../../support/provider-server.js';
import { tempDir } from '../../support/temp-dir.js';

/** Counts of letters, as a vector of so many numbers. */
function letters(text: string, size = 26): number[] {
  const counts = Array<number>(size).fill(0);
  for (const char of text.toLowerCase()) {
    const index = char.charCodeAt(0) - 97;
    if (index >= 0 && index < size) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

function vectorsFor({ body }: SeenRequest, size = 26): Play {
  const texts = Array.isArray(body['input']) ? body['input'].map(String) : [];
  const data = texts.map((text, index) => ({ index, embedding: letters(text, size) }));
  return { body: { data, usage: { prompt_tokens: 1000 } } };
}

async function sourceAt(script: (seen: SeenRequest) => Play) {
  const server = await startProvider(script);
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  const { db } = opened;
  const store = new EmbeddingStore(db, () => 5);
  onTestFinished(async () => {
    await server.close();
    db.close();
  });
  const source = (model = 'vectors'): DriftSource => {
    const credentials = { ...openAiAt(server.origin), model };
    const embedder = createEmbedder({ credentials, env: {}, redact: (text) => text, clock: notingClock() });
    onTestFinished(() => embedder.close());
    return embeddingDrift({ embedder, store, price: { inputUsd: 2, outputUsd: 0 }, timeoutMs: 10_000 });
  };
  return { server, source, store, db };
}

describe('drift by the vectors of a provider (spec 08 §24.7)', () => {
  it('is one less the cosine, and costs what the endpoint counts', async () => {
    const { source } = await sourceAt((seen) => vectorsFor(seen));
    const drift = source();
    const usage = await drift.load(['ab', 'abab', 'cd', 'ac']);
    expect(usage).toEqual({ model: 'vectors', calls: 1, tokens: 1000, usd: 0.002, estimated: false });
    expect(drift.between('ab', 'abab')).toBeCloseTo(0, 12);
    expect(drift.between('ab', 'cd')).toBe(1);
    expect(drift.between('ab', 'ac')).toBeCloseTo(0.5, 12);
    expect(drift.between('ab', 'ab')).toBe(0);
    expect(() => drift.between('ab', 'never loaded')).toThrow(RangeError);
  });

  it('asks about a text once, also after a restart, and again for another model', async () => {
    const { server, source, db } = await sourceAt((seen) => vectorsFor(seen));
    await source().load(['ab', 'cd', 'ab']);
    const later = source();
    expect(later.worstCaseUsd(['ab', 'cd'])).toBe(0);
    expect(await later.load(['ab', 'cd'])).toMatchObject({ calls: 0, usd: 0 });
    expect(later.between('ab', 'cd')).toBe(1);
    expect(server.requests.map(({ body }) => body['input'])).toEqual([['ab', 'cd']]);
    const other = source('other');
    expect(other.worstCaseUsd(['ab'])).toBeGreaterThan(0);
    await other.load(['ab']);
    expect(server.requests).toHaveLength(2);
    const kept = db.prepare('SELECT model, text_sha256 FROM embeddings ORDER BY model').all();
    expect(kept).toHaveLength(3);
    expect(kept).toContainEqual({ model: 'other', text_sha256: sha256('ab') });
  });

  it('never compares vectors of two models that go by one name', async () => {
    let size = 26;
    const { server, source } = await sourceAt((seen) => vectorsFor(seen, size));
    await source().load(['ab']);
    size = 8;
    const drift = source();
    expect(await drift.load(['ab', 'ac'])).toMatchObject({ calls: 2, tokens: 2000 });
    expect(drift.between('ab', 'ac')).toBeCloseTo(0.5, 12);
    expect(server.requests.at(-1)?.body['input']).toEqual(['ab', 'ac']);
  });

  it.each<[string, Play, string]>([
    ['refuses', { status: 401, body: { error: { message: 'no' } } }, 'auth'],
    ['has no such model', { status: 404, body: { error: { message: 'no model' } } }, 'auth'],
    ['breaks', { status: 500, body: 'oops' }, 'server'],
    ['answers something else', { body: { choices: [] } }, 'server'],
  ])('is not to be had when the endpoint %s', async (_what, play, kind) => {
    const { source } = await sourceAt(() => play);
    const failure = await source()
      .load(['ab'])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DriftUnavailable);
    expect(failure).toMatchObject({ kind, message: expect.stringContaining('vectors') });
  });
});

describe('a run that measures drift by vectors', () => {
  async function run(script: (seen: SeenRequest) => Play, labels: readonly string[]) {
    const { server, source, db } = await sourceAt(script);
    const parts = await demoParts({ seed: 7, churn: 0, directory: tempDir(), db });
    const report = await runLoop(
      {
        ...parts,
        drift: source(),
        propose: async ({ base }) => ({
          proposals: demoEdits(7)
            .filter(({ label }) => labels.includes(label))
            .map((one) => demoProposal(one, base, parts.cases.dev)),
          problems: [],
          usage: null,
          model: 'script',
          isExhausted: true,
        }),
      },
      { ...demoSettings({ seed: 7 }), budgetUsd: 100 },
    );
    return { report, server, db };
  }

  it('asks about edits alone that pass the other checks, and accounts for it', async () => {
    const { report, server, db } = await run((seen) => vectorsFor(seen), ['g1', 'x1', 'x2', 'l1']);
    expect(report.edits.map(({ label, verdict }) => `${label} ${verdict}`).sort()).toEqual([
      'g1 promote',
      'l1 blocked_size',
      'x1 blocked_frozen',
      'x2 blocked_size',
    ]);
    expect(server.requests).toHaveLength(1);
    expect(report.usd_by_role).toMatchObject({ embedding: 0.002 });
    const [check] = report.edits.flatMap(({ label, checks }) =>
      label === 'g1' ? checks.filter(({ name }) => name === 'drift') : [],
    );
    expect(check?.value).toBeGreaterThan(0);
    expect(check?.value).toBeLessThan(0.01);
    expect(db.prepare('SELECT DISTINCT model FROM embeddings').all()).toEqual([{ model: 'vectors' }]);
  });

  it('blocks what drifts too far', async () => {
    const { report } = await run(
      (seen) => {
        const texts = Array.isArray(seen.body['input']) ? seen.body['input'].map(String) : [];
        const data = texts.map((text, index) => ({
          index,
          embedding: text.includes('baseline') ? [1, 1] : [1, 0],
        }));
        return { body: { data } };
      },
      ['g1'],
    );
    expect(report.edits).toMatchObject([{ verdict: 'blocked_drift' }]);
    expect(report.estimated).toBe(true);
  });

  it('stops when they are not to be had: word sequences do not take their place', async () => {
    const { report } = await run(() => ({ status: 401, body: { error: { message: 'no' } } }), ['g1']);
    expect(report).toMatchObject({ status: 'stopped_provider', end_version: 1, calls: 1 });
    expect(report.stopped).toContain('(auth): embeddings of vectors');
  });
});
