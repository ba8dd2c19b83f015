import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileTree } from '../../../src/investigate/evidence/file-tree.js';
import { rankOf } from '../../../src/investigate/model/confidence.js';
import { ERROR_TYPES } from '../../../src/investigate/model/error-type.js';
import type { Evidence, EvidenceItem } from '../../../src/investigate/model/evidence.js';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import {
  type PolicyClaim,
  type PolicyContext,
  type Reproduction,
  strictSupport,
} from '../../../src/investigate/policy/strict.js';
import { evidenceOf, item } from '../support.js';

const FILES = ['shop/prices.py', 'shop/stock.py'];
const TEXTS: Readonly<Record<string, string>> = {
  index_error: 'IndexError: list index out of range',
  value_parse: 'ValueError: invalid literal for int',
  typed_exception: 'PriceError: negative',
  gpu_oom: 'hipErrorOutOfMemory',
  disk_full: 'No space left on device',
  econnrefused: 'connection refused',
};
const fingerprints = fc.constantFrom<string | null>(...Object.keys(TEXTS), null);
const hints = fc.constantFrom<string | null>(
  null,
  'shop/prices.py:12',
  'shop/prices.py:150',
  'shop/stock.py',
);
const times = fc.constantFrom<number | null>(1000, 1890, 2000, null);
const entities = fc.constantFrom<readonly string[]>(
  [],
  ['service:cart'],
  ['service:ad'],
  ['task:t-1', 'service:cart'],
);

let keys = 0;
const observed: fc.Arbitrary<Evidence> = fc
  .record({
    cls: fc.constantFrom('trace' as const, 'log' as const),
    fingerprint: fingerprints,
    hint: hints,
    tsUnix: times,
    entities,
    isSuspect: fc.boolean(),
  })
  .map(({ cls, fingerprint, hint, tsUnix, entities: own, isSuspect }) => {
    keys += 1;
    const one: EvidenceItem = item({
      key: `${cls}-${keys}`,
      cls,
      tsUnix,
      entities: own,
      fingerprint,
      text: fingerprint === null ? null : (TEXTS[fingerprint] ?? null),
      fileHint: hint,
    });
    const made = evidenceOf(cls, { items: [one], services: ['cart'] });
    return { ...made, receipt: { ...made.receipt, injection_suspect: isSuspect && keys % 4 === 0 } };
  });
const reading: fc.Arbitrary<Evidence> = fc
  .record({ kind: fc.constantFrom('vram' as const, 'disk' as const, 'gateway' as const), tsUnix: times })
  .map(({ kind, tsUnix }) => {
    keys += 1;
    return evidenceOf('state', { items: [item({ key: `state-${keys}`, cls: 'state', tsUnix, kind })] });
  });
const read: fc.Arbitrary<Evidence> = fc
  .record({ path: fc.constantFrom(...FILES), from: fc.constantFrom(1, 100) })
  .map(({ path, from }) =>
    evidenceOf('source', {
      hasContent: true,
      source: { path, lineStart: from, lineEnd: from + 80, lines: Array.from({ length: 81 }, () => 'x = 1') },
    }),
  );
const listing: fc.Arbitrary<Evidence> = fc.constantFrom(
  evidenceOf('trace', {
    services: ['cart'],
    listing: { service: 'cart', startUnix: 900, endUnix: 2100, listed: 25, failing: 0 },
  }),
);
const silent: fc.Arbitrary<Evidence> = fc.constantFrom(
  evidenceOf('log', { status: 'empty' }),
  evidenceOf('trace', { status: 'error' }),
  evidenceOf('derived', {
    items: [item({ key: 'd', cls: 'log', tsUnix: 1000, fingerprint: 'index_error' })],
  }),
  evidenceOf('none', { items: [item({ key: 'n', cls: 'log', tsUnix: 1000, fingerprint: 'gpu_oom' })] }),
);
const reproduced: fc.Arbitrary<Reproduction> = fc
  .record({
    filePath: fc.constantFrom(...FILES),
    verified: fc.boolean(),
    line: fc.constantFrom<number | null>(12, 150, null),
    fingerprint: fingerprints,
  })
  .map(({ fingerprint, ...rest }) => ({
    ...rest,
    error: { fingerprint, text: fingerprint === null ? null : (TEXTS[fingerprint] ?? null) },
  }));
const claims: fc.Arbitrary<PolicyClaim> = fc.record({
  errorType: fc.constantFrom(...ERROR_TYPES),
  service: fc.constantFrom<string | null>(null, 'cart', 'ad'),
  filePath: fc.constantFrom<string | null>(null, ...FILES),
  lineNumber: fc.constantFrom<number | null>(null, 12, 30, 150),
});
const worlds = fc.record({
  evidence: fc.array(fc.oneof({ weight: 4, arbitrary: observed }, reading, read), { maxLength: 8 }),
  listings: fc.array(listing, { maxLength: 1 }),
  reproductions: fc.array(reproduced, { maxLength: 2 }),
  claim: claims,
  issue: fc.constantFrom('', 'the cart is very slow', 'memory grows').map(issueOfText),
});

type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function supportOf({ claim, issue, reproductions }: World, evidence: readonly Evidence[]) {
  const context: PolicyContext = {
    evidence,
    issue,
    reproductions,
    mode: 'llm',
    trees: [createFileTree(FILES)],
    maxGapS: 900,
  };
  return strictSupport(claim, context);
}
const band = (world: World, evidence: readonly Evidence[]): number => rankOf(supportOf(world, evidence).band);
const RUNS = { numRuns: 3000, seed: 5 };

describe('the supported band of any claim on any evidence', () => {
  it('reaches every band, so that the properties say something', () => {
    const seen = new Set(
      fc.sample(worlds, RUNS).map((world) => supportOf(world, [...world.evidence, ...world.listings]).band),
    );
    expect([...seen].sort()).toEqual(['high', 'low', 'medium']);
  });

  it('is never raised by taking a receipt away', () => {
    fc.assert(
      fc.property(worlds, fc.nat(), (world, index) => {
        const { evidence, listings } = world;
        fc.pre(evidence.length > 0);
        const less = evidence.filter((_, at) => at !== index % evidence.length);
        // A reproduction that failed counts against a claim, unless two observations agree.
        fc.pre(world.reproductions.every(({ verified }) => verified));
        fc.pre(listings.length === 0);
        expect(band(world, less)).toBeLessThanOrEqual(band(world, evidence));
      }),
      RUNS,
    );
  });

  it('is not changed by receipts that are empty, failed, derived or none', () => {
    fc.assert(
      fc.property(worlds, fc.array(silent, { minLength: 1, maxLength: 4 }), (world, added) => {
        const all = [...world.evidence, ...world.listings];
        expect(band(world, [...added, ...all, ...added])).toBe(band(world, all));
      }),
      RUNS,
    );
  });

  it('does not depend on the order of receipts', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const all = [...world.evidence, ...world.listings];
        expect(band(world, [...all].reverse())).toBe(band(world, all));
      }),
      RUNS,
    );
  });

  it('is HIGH only for a known type with a place that was read, or with all three observing classes', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const all = [...world.evidence, ...world.listings];
        const { band: supported, signals, caps } = supportOf(world, all);
        if (supported !== 'high') return;
        const { filePath, lineNumber, errorType } = world.claim;
        const classes = new Set<string>(all.map(({ receipt }) => receipt.evidence_class));
        const isRead = all.some(
          ({ source }) =>
            source !== null &&
            source.path === filePath &&
            (lineNumber === null || (source.lineStart <= lineNumber && lineNumber <= source.lineEnd)),
        );
        expect(errorType).not.toBe('unknown');
        expect(caps).toEqual([]);
        expect(isRead || ['trace', 'log', 'state'].every((cls) => classes.has(cls))).toBe(true);
        expect((signals.S && (signals.R || signals.C)) || signals.D).toBe(true);
      }),
      RUNS,
    );
  });

  it('is never raised by a listing of healthy traces or an attempt that failed', () => {
    fc.assert(
      fc.property(worlds, listing, (world, healthy) => {
        const all = world.evidence;
        expect(band(world, [...all, healthy])).toBeLessThanOrEqual(band(world, all));
        const tried = [...world.reproductions, { filePath: FILES[0] ?? '', verified: false }];
        expect(band({ ...world, reproductions: tried }, all)).toBeLessThanOrEqual(band(world, all));
      }),
      RUNS,
    );
  });
});
