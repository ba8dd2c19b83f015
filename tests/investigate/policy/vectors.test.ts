import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/foreign/json.js';
import { normalizeService, normalizeServiceReference } from '../../../src/investigate/evidence/entities.js';
import {
  fileHint,
  fileHintReference,
  isErrorSpan,
  isErrorSpanReference,
} from '../../../src/investigate/evidence/error-span.js';
import { matchEvidence, matchReference } from '../../../src/investigate/evidence/fingerprints.js';
import { buildLogql } from '../../../src/investigate/evidence/logql.js';
import { normalizeRepoReference, parseRepo } from '../../../src/investigate/evidence/names.js';
import { flatten } from '../../../src/investigate/evidence/span.js';
import { parseTimestampNs } from '../../../src/investigate/evidence/timestamp-ns.js';
import { bandOf, type ConfidenceLevel, clampTo } from '../../../src/investigate/model/confidence.js';
import type { ErrorType } from '../../../src/investigate/model/error-type.js';
import { governReference } from '../../../src/investigate/policy/governor.js';
import { referenceBand, referenceSignals } from '../../../src/investigate/policy/reference.js';
import {
  familyOf,
  type ReferenceReceipt,
  type ReferenceResult,
  referenceReceipt,
} from '../../../src/investigate/policy/reference-ledger.js';
import { applyVerdict } from '../../../src/investigate/policy/verifier.js';
import { fixture } from '../support.js';

interface SpanVector {
  readonly tags: JsonObject;
  readonly logs: ({ fields: unknown } | string)[];
}
interface Vectors {
  readonly normalize_service_name: [string, string][];
  readonly normalize_repo_reference: [string, string][];
  readonly parse_timestamp_ns: [string, string | null][];
  readonly build_logql: [[string, string?], string][];
  readonly is_error_span: (SpanVector & { error: boolean })[];
  readonly file_hint: (SpanVector & { hint: string | null })[];
  readonly fingerprint_reference: {
    text: string;
    pattern: string | null;
    confidence: number | null;
    error_type: string | null;
  }[];
  readonly band_of_float: [number, string][];
  readonly clamp_to_band: [number, ConfidenceLevel, number][];
  readonly classify_tool: [string, string][];
  readonly receipts: { tool: string; args: JsonObject; result: ReferenceResult; receipt: ReferenceReceipt }[];
  readonly allowed_band_reference: {
    error_type: ErrorType;
    records: ReferenceReceipt[];
    sandbox_reproduced: boolean;
    allowed_band: string;
    signals: object;
  }[];
  readonly governor_reference: {
    supported_band: ConfidenceLevel;
    confidence: number;
    passes: (
      | { retry: string }
      | { result: { confidence: number; confidence_level: string; has_note: boolean } }
    )[];
  }[];
  readonly verifier_reference: {
    confidence: number;
    decision: string;
    target_band: ConfidenceLevel;
    previous_note: string | null;
    out: { confidence: number; confidence_level: string; has_note: boolean; note_keeps_previous: boolean };
  }[];
}

const vectors = fixture<Vectors>('vectors.json');
const partsOf = ({ tags, logs }: SpanVector) => ({
  tags,
  events: logs.flatMap((log) => (typeof log === 'string' ? [] : [flatten(log.fields)])),
});

describe('parity with the reference', () => {
  it.each(vectors.normalize_service_name)('service name %j is %j', (given, wanted) => {
    expect(normalizeServiceReference(given)).toBe(wanted);
  });

  it.each(vectors.normalize_repo_reference)('repository %j is %j', (given, wanted) => {
    expect(normalizeRepoReference(given)).toBe(wanted);
  });

  it.each(vectors.parse_timestamp_ns)('timestamp %j is %j ns', (given, wanted) => {
    expect(parseTimestampNs(given)?.toString() ?? null).toBe(wanted);
  });

  it.each(vectors.build_logql)('LogQL of %j', (given, wanted) => {
    expect(buildLogql(...given)).toBe(wanted);
  });

  it.each(vectors.is_error_span)('error span $tags $logs: $error', (vector) => {
    expect(isErrorSpanReference(partsOf(vector))).toBe(vector.error);
  });

  it.each(vectors.file_hint)('file hint $hint', (vector) => {
    expect(fileHintReference(partsOf(vector))).toBe(vector.hint);
  });

  it.each(vectors.fingerprint_reference)('fingerprint of $text: $pattern', (vector) => {
    const found = matchReference(vector.text);
    expect([found?.id ?? null, found?.confidence ?? null, found?.errorType ?? null]).toEqual([
      vector.pattern,
      vector.confidence,
      vector.error_type,
    ]);
  });

  it.each(vectors.band_of_float)('%d is %s', (confidence, band) => {
    expect(bandOf(confidence)).toBe(band);
  });

  it.each(vectors.clamp_to_band)('%d clamped to %s is %d', (confidence, band, wanted) => {
    expect(clampTo(confidence, band)).toBe(wanted);
  });

  it.each(vectors.classify_tool)('%s belongs to %s', (tool, family) => {
    expect(familyOf(tool)).toBe(family);
  });

  it.each(vectors.receipts)('receipt of $tool $args', ({ tool, args, result, receipt }) => {
    expect(referenceReceipt(tool, args, result)).toEqual(receipt);
  });

  it.each(vectors.allowed_band_reference)('$error_type with $records: $allowed_band', (vector) => {
    const signals = referenceSignals(vector.records);
    expect(signals).toEqual(vector.signals);
    expect(referenceBand(vector.error_type, signals, vector.sandbox_reproduced)).toBe(vector.allowed_band);
  });

  it.each(vectors.governor_reference)('claim $confidence, supported $supported_band', (vector) => {
    let retried = false;
    for (const pass of vector.passes) {
      const decision = governReference(
        {
          claimed: vector.confidence,
          supported: vector.supported_band,
          missing: 'more evidence',
          note: null,
          mayRetry: !retried,
        },
        0.4,
      );
      if ('retry' in pass) expect(decision.retry).toBe(pass.retry);
      else {
        expect(decision).toMatchObject({
          confidence: pass.result.confidence,
          level: pass.result.confidence_level,
        });
        expect(decision.retry === null && decision.note !== null).toBe(pass.result.has_note);
      }
      retried ||= decision.retry === 'overclaim';
    }
  });

  it.each(vectors.verifier_reference)('verifier: $decision to $target_band from $confidence', (vector) => {
    const before = {
      confidence: vector.confidence,
      level: bandOf(vector.confidence),
      note: vector.previous_note,
    };
    const verdict = { decision: vector.decision, targetBand: vector.target_band, reason: 'because' };
    const after = applyVerdict(before, verdict, true);
    expect(after).toMatchObject({ confidence: vector.out.confidence, level: vector.out.confidence_level });
    expect(after.note !== null).toBe(vector.out.has_note);
    expect(vector.previous_note !== null && (after.note ?? '').includes(vector.previous_note)).toBe(
      vector.out.note_keeps_previous,
    );
  });
});

/** Where this product differs from the reference on purpose. */
describe('deliberate differences', () => {
  it('service names keep letters of every script', () => {
    expect(normalizeService('Ünï')).toBe('ünï');
    expect(normalizeService('Cart_Service')).toBe('cart');
  });

  it.each([
    'https://github.com/a/b.git',
    'https://github.com/a/b/tree/main',
    'HTTPS://GitHub.com/a/b',
    'git@github.com:a/b.git',
    'github.com/a/b',
  ])('%s names a usable repository', (given) => {
    expect(parseRepo(given)).toBe('a/b');
  });

  it.each(['https://gitlab.com/a/b/c', '..', 'a', 'a/..', ''])('%j names none', (given) => {
    expect(parseRepo(given)).toBeNull();
  });

  it('a status is compared in any case, and failed HTTP and gRPC statuses are errors', () => {
    const differing = vectors.is_error_span.filter((vector) => isErrorSpan(partsOf(vector)) !== vector.error);
    expect(differing.map(({ tags, logs }) => JSON.stringify([tags, logs]))).toEqual([
      '[{"otel.status_code":"Error"},[]]',
      '[{"otel.status_code":2},[]]',
      '[{"http.status_code":500},[]]',
      '[{"rpc.grpc.status_code":14},[]]',
      '[{},[{"fields":[{"key":"error","value":"false"}]}]]',
    ]);
  });

  it('the newer tag for a line is read', () => {
    expect(fileHint({ tags: { 'code.file.path': 'b.py', 'code.line.number': 9 }, events: [] })).toBe(
      'b.py:9',
    );
  });

  it('evidence lines say more, and a denied deadline says nothing', () => {
    expect(matchEvidence('OutOfMemoryError')?.fingerprint.id).toBe('gpu_oom');
    expect(matchEvidence('certificate has expired')?.fingerprint.id).toBe('tls_expired_phrase');
    expect(matchEvidence('deadline was not exceeded')).toBeNull();
  });

  it('a time without a zone is UTC, whatever the zone of the host', () => {
    expect(parseTimestampNs('2026-05-28T19:26:40')).toBe(1_779_996_400_000_000_000n);
  });

  it('a verdict counts in any letter case', () => {
    const before = { confidence: 0.9, level: 'high' as const, note: null };
    const verdict = { decision: 'DOWNGRADE', targetBand: 'low' as const, reason: 'r' };
    expect(applyVerdict(before, verdict, false)).toEqual({ confidence: 0.5, level: 'low', note: 'r' });
  });
});
