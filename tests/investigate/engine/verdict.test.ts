import { describe, expect, it } from 'vitest';
import { engineSignals, judge } from '../../../src/investigate/engine/verdict.js';
import { matchEvidence } from '../../../src/investigate/evidence/fingerprints.js';
import type { AbnormalKind } from '../../../src/investigate/model/receipt.js';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import { fixture, item } from '../support.js';

interface Example {
  readonly name: string;
  readonly issue: string;
  readonly source_anchor: [string, number] | null;
  readonly signals: {
    readonly class: 'log' | 'trace' | 'state';
    readonly ts: number | null;
    readonly entities: string[];
    readonly text: string | null;
    readonly abnormal: AbnormalKind | null;
  }[];
  readonly expect: {
    readonly subject: string | null;
    readonly error_type: string;
    readonly confidence: number;
    readonly confidence_level: string;
    readonly allowed_band: string;
    readonly classes: string[];
    readonly others: { error_type: string; subject: string; score: number }[];
  };
}

const { scoring, evidence_fingerprints: fingerprints } = fixture<{
  scoring: Example[];
  evidence_fingerprints: {
    text: string;
    id: string | null;
    error_type: string | null;
    confidence: number | null;
  }[];
}>('examples.json');

describe('the engine without a model on the worked examples', () => {
  it.each(scoring)('$name', (example) => {
    const items = example.signals.map((signal, index) =>
      item({
        key: String(index),
        cls: signal.class,
        tsUnix: signal.ts,
        entities: signal.entities,
        fingerprint: signal.text === null ? null : (matchEvidence(signal.text)?.fingerprint.id ?? null),
        text: signal.text,
        kind: signal.abnormal,
      }),
    );
    const issue = issueOfText(example.issue);
    const verdict = judge(engineSignals(items, issue), issue, () => example.source_anchor !== null, 900);
    const { expect: wanted } = example;
    expect(verdict.confidence).toBeCloseTo(wanted.confidence, 3);
    expect(verdict).toMatchObject({
      subject: wanted.subject,
      errorType: wanted.error_type,
      level: wanted.confidence_level,
      supported: wanted.allowed_band,
      classes: wanted.classes,
      alternatives: wanted.others,
    });
  });
});

describe('evidence fingerprints', () => {
  it.each(fingerprints)('$text is $id', ({ text, id, error_type: type, confidence }) => {
    const hit = matchEvidence(text)?.fingerprint;
    expect([hit?.id ?? null, hit?.errorType ?? null, hit?.confidence ?? null]).toEqual([
      id,
      type,
      confidence,
    ]);
  });

  it('takes time in proportion to the line', () => {
    for (const line of [
      'A'.repeat(2000),
      'accuracy '.repeat(222),
      'deadline '.repeat(222),
      'x509 '.repeat(400),
    ]) {
      const begun = performance.now();
      matchEvidence(line);
      expect(performance.now() - begun).toBeLessThan(200);
    }
  });
});
