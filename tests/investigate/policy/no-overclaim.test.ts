import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Collector } from '../../../src/investigate/engine/collect.js';
import { collectFromServices } from '../../../src/investigate/engine/collect-service.js';
import { conclude } from '../../../src/investigate/engine/conclude.js';
import type { FileTree } from '../../../src/investigate/evidence/file-tree.js';
import { createDispatcher } from '../../../src/investigate/ledger/dispatcher.js';
import { type ConfidenceLevel, DEFAULT_BANDS, rankOf } from '../../../src/investigate/model/confidence.js';
import { ERROR_TYPES } from '../../../src/investigate/model/error-type.js';
import { type Evidence, isCounting } from '../../../src/investigate/model/evidence.js';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import {
  type PolicyClaim,
  type PolicyContext,
  strictSupport,
} from '../../../src/investigate/policy/strict.js';
import { createRedactor } from '../../../src/investigate/safety/redactor.js';
import { CASES } from '../fakes/corpus.js';
import { openWorld, setupOf, type World } from '../fakes/run-case.js';

/** The receipts of the case's own calls and of the collector, through our tools over the fakes. */
async function evidenceOf(world: World): Promise<readonly Evidence[]> {
  const setup = setupOf(world);
  const dispatcher = createDispatcher({
    tools: setup.tools,
    redactor: createRedactor([]),
    sink: { receipt: () => undefined, payload: () => undefined },
    now: setup.now,
    signal: setup.signal,
  });
  await collectFromServices(new Collector(dispatcher), setup.question, null);
  for (const { tool, args } of world.data.calls) {
    const { owner: _owner, repo: _repo, per_page: _page, ...own } = args;
    await dispatcher.call(tool, own);
  }
  await dispatcher.call('get_file_slice', {
    path: 'src/cart/src/cartstore/ValkeyCartStore.cs',
    around_line: 194,
  });
  return dispatcher.evidence();
}

/** Every claim worth trying on some evidence: type, service, file and line, known or not. */
function claimsOn(evidence: readonly Evidence[]): PolicyClaim[] {
  const services = [null, ...new Set(evidence.flatMap(({ receipt }) => receipt.services))];
  const places: [string | null, number | null][] = [[null, null]];
  for (const path of new Set(evidence.flatMap(({ source }) => source?.path ?? []))) {
    places.push([path, null], [path, 194], [path, 200], [path, 100_000]);
  }
  return ERROR_TYPES.flatMap((errorType) =>
    services.flatMap((service) =>
      places.map(([filePath, lineNumber]) => ({ errorType, service, filePath, lineNumber })),
    ),
  );
}

/** Receipts that can change a band at all; what the others do is tested apart. */
function telling(evidence: readonly Evidence[]): Evidence[] {
  return evidence.filter((one) => isCounting(one) || one.listing !== null);
}

/** Two subsets with the same content are one; claims are compared on what they can reach. */
function subsetsOf(evidence: readonly Evidence[]): Evidence[][] {
  const all = [...evidence];
  const found = new Map<string, Evidence[]>();
  const add = (subset: Evidence[]): void => {
    found.set(subset.map(({ receipt }) => receipt.receipt_id).join(), subset);
  };
  add(all);
  for (const a of all) {
    for (const b of all) {
      add(all.filter((one) => one === a || one === b));
      add(all.filter((one) => one !== a && one !== b));
    }
  }
  for (const subset of fc.sample(fc.subarray(all), { numRuns: 500, seed: 7 })) add(subset);
  return [...found.values()];
}

/** Receipts of calls that found the very same things. */
function distinct(evidence: readonly Evidence[]): Evidence[] {
  const seen = new Map<string, Evidence>();
  for (const one of evidence) {
    const items = one.items.map(({ key }) => key).sort();
    const { source, listing } = one;
    const read = source === null ? null : [source.path, source.lineStart, source.lineEnd];
    const key = JSON.stringify([items, read, one.lines.map(({ text }) => text).sort(), listing]);
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

describe.each(CASES)('no overclaim on %s', (name) => {
  let world: World;
  let evidence: readonly Evidence[];
  let trees: readonly FileTree[];
  const context = (subset: readonly Evidence[], mode: 'llm' | 'deterministic'): PolicyContext => ({
    evidence: subset,
    issue: issueOfText(world.expected.issue.description),
    mode,
    trees,
    reproductions: [],
    maxGapS: 900,
  });
  const best = (
    subset: readonly Evidence[],
    mode: 'llm' | 'deterministic',
    claims = claimsOn(subset),
  ): ConfidenceLevel => {
    const bands = claims.map((claim) => strictSupport(claim, context(subset, mode)).band);
    return bands.reduce((a, b) => (rankOf(a) >= rankOf(b) ? a : b), 'low');
  };

  beforeAll(async () => {
    world = await openWorld(name, true);
    evidence = await evidenceOf(world);
    trees = await world.services.trees();
  });
  afterAll(() => world.close());

  it('no claim on any subset of the receipts gets above the highest honest band', () => {
    const limit = rankOf(world.expected.max_band_any_mode);
    // With one claim per group of types and per place of interest, every band that is reachable is reached.
    for (const subset of subsetsOf(distinct(telling(evidence)))) {
      const claims = claimsOn(subset).filter(({ errorType, filePath }) => {
        const isTypical = ['runtime_error', 'infra', 'oom', 'network', 'config_error'].includes(errorType);
        return isTypical && (filePath === null || /AdService|ValkeyCartStore|charge|main/.test(filePath));
      });
      const top = best(subset, 'llm', claims);
      if (rankOf(top) > limit)
        expect({ top, receipts: subset.map(({ receipt }) => receipt.receipt_id) }).toBeNull();
    }
  });

  it('every claim on all receipts stays within it, and one reaches it', () => {
    expect(best(evidence, 'llm')).toBe(world.expected.max_band_any_mode);
    expect(rankOf(best(evidence, 'deterministic'))).toBeLessThanOrEqual(
      rankOf(world.expected.max_band_any_mode),
    );
  });

  it('the engine without a model stays within its own limit on every subset', () => {
    const limit = rankOf(world.expected.max_band_deterministic);
    const input = {
      issue: issueOfText(world.expected.issue.description),
      trees,
      maxGapS: 900,
      bands: DEFAULT_BANDS,
    };
    const means = { traces: true, logs: true, source: true, sandbox: false };
    for (const subset of fc.sample(fc.subarray([...evidence]), { numRuns: 150, seed: 3 })) {
      const { supported, level } = conclude({
        ...input,
        evidence: subset,
        means,
        unavailable: [],
        reproductions: [],
      });
      expect(rankOf(supported)).toBeLessThanOrEqual(limit);
      expect(rankOf(level)).toBeLessThanOrEqual(limit);
    }
  });

  it('removing a receipt never raises a band, their order and the empty ones change none', () => {
    const claims = claimsOn(evidence);
    fc.assert(
      fc.property(
        fc.constantFrom(...claims),
        fc.shuffledSubarray([...evidence], { minLength: 1 }),
        fc.nat(),
        (claim, subset, index) => {
          const band = rankOf(strictSupport(claim, context(subset, 'llm')).band);
          const removed = subset[index % subset.length];
          const less = subset.filter((one) => one !== removed);
          const isExcepted = removed?.listing !== null;
          if (!isExcepted)
            expect(rankOf(strictSupport(claim, context(less, 'llm')).band)).toBeLessThanOrEqual(band);
          const reversed = [...subset].reverse();
          expect(rankOf(strictSupport(claim, context(reversed, 'llm')).band)).toBe(band);
          const silent = evidence.filter((one) => !isCounting(one) && one.listing === null);
          expect(rankOf(strictSupport(claim, context([...subset, ...silent], 'llm')).band)).toBe(band);
        },
      ),
      { numRuns: 150, seed: 11 },
    );
  });
});
