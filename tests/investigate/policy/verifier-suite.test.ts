import { describe, expect, it } from 'vitest';
import { receiptOf } from '../../../src/investigate/ledger/receipt-of.js';
import {
  type BandLimits,
  bandOf,
  type ConfidenceLevel,
  DEFAULT_BANDS,
} from '../../../src/investigate/model/confidence.js';
import type { Evidence, EvidenceItem } from '../../../src/investigate/model/evidence.js';
import type { EvidenceClass } from '../../../src/investigate/model/receipt.js';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import { type Reproduction, strictSupport } from '../../../src/investigate/policy/strict.js';
import { applyVerdict } from '../../../src/investigate/policy/verifier.js';
import { item } from '../support.js';

const FILE = 'src/F.java';

/** A receipt with one untyped item of its service, all at the same time, pointing at the file. */
function observed(cls: 'trace' | 'log', service: string): Evidence {
  const one = item({
    key: `${cls}-${service}`,
    cls,
    tsUnix: 1000,
    entities: [`service:${service}`],
    fileHint: FILE,
  });
  return evidence(cls, [one], null);
}

function read(path: string): Evidence {
  return evidence('source', [], { path, lineStart: 1, lineEnd: 3, lines: ['a', 'b', 'c'] });
}

function evidence(cls: EvidenceClass, items: EvidenceItem[], source: Evidence['source']): Evidence {
  const tool = {
    name: cls,
    capability: 'session',
    family: 'session',
    description: '',
    parameters: {},
    run: async () => outcome,
  } as const;
  const outcome = {
    status: 'ok',
    data: {},
    cls,
    items,
    hasContent: true,
    ...(source ? { source } : {}),
  } as const;
  const stamp = {
    seq: 1,
    args: {},
    payload: '{}',
    injectionSuspect: false,
    durationMs: 0,
    startedUnix: 0,
    notes: [],
  };
  return { receipt: receiptOf(tool, outcome, stamp), items, lines: [], source, listing: null };
}

interface Row {
  readonly receipts: Evidence[];
  readonly current: ConfidenceLevel;
  readonly wanted: ConfidenceLevel;
  readonly reproductions?: Reproduction[];
}

const SUITE: Record<string, Row> = {
  supported_full_stack: {
    receipts: [observed('trace', 'ad'), observed('log', 'ad'), read(FILE)],
    current: 'high',
    wanted: 'high',
  },
  supported_with_sandbox_repro: {
    receipts: [observed('log', 'ad'), read(FILE)],
    current: 'high',
    wanted: 'high',
    reproductions: [{ filePath: FILE, verified: true }],
  },
  service_mismatch_jaeger_vs_loki: {
    receipts: [observed('trace', 'ad'), observed('log', 'cart')],
    current: 'medium',
    wanted: 'low',
  },
  claimed_file_not_in_receipts: {
    receipts: [observed('trace', 'ad'), observed('log', 'ad'), read('src/Other.java')],
    current: 'high',
    wanted: 'medium',
  },
  sandbox_not_reproduced: {
    receipts: [observed('log', 'ad'), read(FILE)],
    current: 'medium',
    wanted: 'low',
    reproductions: [{ filePath: FILE, verified: false }],
  },
  single_weak_receipt_only: { receipts: [observed('log', 'ad')], current: 'medium', wanted: 'low' },
  no_receipts_at_all: { receipts: [], current: 'medium', wanted: 'low' },
};

const LIMITS: BandLimits = DEFAULT_BANDS;

describe('the verifier that needs no model', () => {
  it.each(Object.entries(SUITE))('%s', (_name, { receipts, current, wanted, reproductions = [] }) => {
    const { band } = strictSupport(
      { errorType: 'runtime_error', service: 'ad', filePath: FILE, lineNumber: null },
      { evidence: receipts, issue: issueOfText(''), mode: 'llm', trees: [], reproductions, maxGapS: 900 },
    );
    const confidence = { high: 0.9, medium: 0.7, low: 0.4 }[current];
    const verdict = { decision: 'downgrade', targetBand: band, reason: 'recomputed' };
    const after = applyVerdict({ confidence, level: bandOf(confidence), note: null }, verdict, false, LIMITS);
    expect(after.level).toBe(wanted);
  });
});
