import { describe, expect, it } from 'vitest';
import { fileHintReference, isErrorSpanReference } from '../../../src/investigate/evidence/error-span.js';
import { buildLogql } from '../../../src/investigate/evidence/logql.js';
import { parseTraces } from '../../../src/investigate/evidence/span.js';
import { parseTimestampNs } from '../../../src/investigate/evidence/timestamp-ns.js';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import { bandOf, type ConfidenceLevel, clampTo } from '../../../src/investigate/model/confidence.js';
import type { ErrorType } from '../../../src/investigate/model/error-type.js';
import { governReference } from '../../../src/investigate/policy/governor.js';
import { referenceBand, referenceSignals } from '../../../src/investigate/policy/reference.js';
import type { ReferenceReceipt } from '../../../src/investigate/policy/reference-ledger.js';
import { applyVerdict } from '../../../src/investigate/policy/verifier.js';
import { investigate } from '../../../src/investigate/run.js';
import { sliceOutcome } from '../../../src/investigate/tools/slice.js';
import { loadCase } from '../fakes/corpus.js';
import { openWorld, setupOf } from '../fakes/run-case.js';
import { scripted } from '../loop/scripted-model.js';

type Receipt = Pick<ReferenceReceipt, 'family' | 'success' | 'service' | 'file_path'>;
const ok = { success: true, service: null, file_path: null };
const traces = (service: string | null = null): Receipt => ({ ...ok, family: 'jaeger', service });
const logs = (service: string): Receipt => ({ ...ok, family: 'loki', service });
const file: Receipt = { ...ok, family: 'github', file_path: 'src/a.py' };
const listing: Receipt = { ...ok, family: 'github', file_path: 'src' };
const search: Receipt = { ...ok, family: 'github' };
const note = { note: null, missing: 'more evidence' };

/** Every row of the table of spec 07 A18, in its order. */
describe('the worked examples of the reference', () => {
  it.each([
    [0.54, 'low'],
    [0.55, 'medium'],
    [0.84, 'medium'],
    [0.85, 'high'],
  ])('%d is %s', (confidence, band) => {
    expect(bandOf(confidence)).toBe(band);
  });

  it.each<[number, ConfidenceLevel, number]>([
    [0.95, 'medium', 0.8],
    [0.9, 'low', 0.5],
    [0.6, 'medium', 0.6],
  ])('%d clamped to %s is %d', (confidence, band, wanted) => {
    expect(clampTo(confidence, band)).toBe(wanted);
  });

  it.each<[string, Receipt[], ErrorType, boolean, string]>([
    ['traces ad, logs ad', [traces('ad'), logs('ad')], 'runtime_error', false, 'medium'],
    ['the same, type unknown', [traces('ad'), logs('ad')], 'unknown', false, 'low'],
    ['traces without service, logs ad', [traces(), logs('ad')], 'runtime_error', false, 'medium'],
    ['traces ad, logs cart', [traces('ad'), logs('cart')], 'runtime_error', false, 'low'],
    ['traces ad and cart, logs cart', [traces('ad'), traces('cart'), logs('cart')], 'oom', false, 'medium'],
    [
      'traces Cart-Service, logs CART, file read',
      [traces('Cart-Service'), logs('CART'), file],
      'oom',
      false,
      'high',
    ],
    ['file read only', [file], 'oom', false, 'medium'],
    ['directory listing only', [listing], 'oom', false, 'medium'],
    ['code search without path only', [search], 'oom', false, 'low'],
    ['code search without path and one file read', [search, file], 'oom', false, 'medium'],
    ['reproduced only', [], 'oom', true, 'low'],
    ['reproduced and file read', [file], 'oom', true, 'high'],
    ['reproduced, traces and logs, no file', [traces('a'), logs('a')], 'oom', true, 'medium'],
    ['traces a, logs b, file read', [traces('a'), logs('b'), file], 'oom', false, 'medium'],
  ])('%s', (_what, receipts, type, isReproduced, band) => {
    expect(referenceBand(type, referenceSignals(receipts), isReproduced)).toBe(band);
  });

  it('supported low, claim 0.39: sent back each time', () => {
    for (const mayRetry of [true, false, false]) {
      const claim = { claimed: 0.39, supported: 'low', mayRetry, ...note } as const;
      expect(governReference(claim, 0.4)).toMatchObject({ retry: 'floor' });
    }
  });

  it.each([0.4, 0.54])('supported low, claim %d: accepted as it is, without a note', (claimed) => {
    const decision = governReference({ claimed, supported: 'low', mayRetry: true, ...note }, 0.4);
    expect(decision).toEqual({ retry: null, confidence: claimed, level: 'low', note: null });
  });

  it.each<[ConfidenceLevel, number, number, string]>([
    ['low', 0.55, 0.5, 'low'],
    ['low', 0.9, 0.5, 'low'],
    ['medium', 0.85, 0.8, 'medium'],
  ])('supported %s, claim %d: sent back, then %d %s with a note', (supported, claimed, confidence, level) => {
    const claim = { claimed, supported, ...note };
    expect(governReference({ ...claim, mayRetry: true }, 0.4)).toMatchObject({ retry: 'overclaim' });
    expect(governReference({ ...claim, mayRetry: false }, 0.4)).toEqual({
      retry: null,
      confidence,
      level,
      note: 'more evidence',
    });
  });

  it('supported medium, claim 0.84: stays', () => {
    const decision = governReference({ claimed: 0.84, supported: 'medium', mayRetry: true, ...note }, 0.4);
    expect(decision).toMatchObject({ retry: null, confidence: 0.84, level: 'medium' });
  });

  it.each<[number, string, ConfidenceLevel, number, string]>([
    [0.9, 'downgrade', 'medium', 0.8, 'medium'],
    [0.9, 'downgrade', 'low', 0.5, 'low'],
    [0.9, 'downgrade', 'high', 0.9, 'high'],
    [0.6, 'downgrade', 'low', 0.5, 'low'],
    [0.9, 'DOWNGRADE', 'low', 0.9, 'high'],
  ])('verifier: %d, %s to %s: %d %s', (confidence, decision, targetBand, wanted, level) => {
    const before = { confidence, level: bandOf(confidence), note: null };
    const after = applyVerdict(before, { decision, targetBand, reason: 'weak' }, true);
    expect(after).toMatchObject({ confidence: wanted, level });
  });

  it('action_taken without a sandbox is explained, whatever a model would like', async () => {
    const world = await openWorld('cartFailure', true);
    try {
      const config = { ...world.config, profile: 'reference' as const };
      const model = scripted([
        {
          call: 'submit_result',
          args: {
            issue_summary: 'carts fail',
            action_taken: 'sandbox_enriched',
            tools_used: ['jaeger'],
            root_cause: {
              description: 'no store',
              confidence: 0.6,
              error_type: 'runtime_error',
              claims: [{ text: 'no store', receipt_ids: ['r002'], quote: 'access cart storage' }],
            },
            recommended_fix: 'look at the store',
          },
        },
      ]);
      const { signal } = new AbortController();
      const continueWithModel = modelContinuation({ model, config, signal });
      const result = await investigate({ ...setupOf(world), config, continueWithModel });
      expect(result).toMatchObject({ mode: 'llm', action_taken: 'explained' });
      expect(result.tools_used).not.toContain('jaeger');
    } finally {
      await world.close();
    }
  });

  it.each([
    ['1780066250174064', 1_780_066_250_174_064_000n],
    ['1780066250', 1_780_066_250_000_000_000n],
    ['1780066250.5', 1_780_066_250_500_000_000n],
  ])('timestamp %s', (source, wanted) => {
    expect(parseTimestampNs(source)).toBe(wanted);
  });

  it('LogQL escapes backslash and quote', () => {
    expect(buildLogql('a"b\\c', 'q"\\n')).toBe('{compose_service="a\\"b\\\\c"} |= "q\\"\\\\n"');
  });

  it('a slice of ten lines around 5 with context 2 is lines 3 to 7 of 10', () => {
    const text = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n');
    expect(sliceOutcome('x.py', text, 5, 2, (line) => line).data).toMatchObject({
      start_line: 3,
      end_line: 7,
      total_lines: 10,
      slice: [3, 4, 5, 6, 7].map((line) => `${line}: line ${line}`).join('\n'),
    });
  });

  it('a recorded trace of ten spans, failing in four services: seven error spans, no file hint', () => {
    const traces = loadCase('adHighCpu').corpus.jaeger.traces.flatMap((trace) => parseTraces(trace));
    const [trace, ...others] = traces.filter(({ spans }) => {
      const failing = spans.filter(isErrorSpanReference);
      return spans.length === 10 && new Set(failing.map(({ service }) => service)).size === 4;
    });
    expect(others).toEqual([]);
    const failing = trace?.spans.filter(isErrorSpanReference) ?? [];
    expect(failing.map(fileHintReference)).toEqual(Array.from({ length: 7 }, () => null));
  });
});
