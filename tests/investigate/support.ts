import { readFileSync } from 'node:fs';
import { receiptOf } from '../../src/investigate/ledger/receipt-of.js';
import type { Evidence, EvidenceItem } from '../../src/investigate/model/evidence.js';
import type { EvidenceClass } from '../../src/investigate/model/receipt.js';
import type { Tool, ToolOutcome } from '../../src/investigate/tools/tool.js';

/** A file of the data pack's copy. */
export function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(`tests/fixtures/investigate/${name}`, 'utf8'));
}

/** A signal item with everything that a test does not care about left out. */
export function item(parts: Partial<EvidenceItem> & Pick<EvidenceItem, 'key' | 'cls'>): EvidenceItem {
  return {
    tsUnix: null,
    entities: [],
    fingerprint: null,
    kind: null,
    text: null,
    frames: [],
    fileHint: null,
    source: parts.key,
    line: null,
    ...parts,
  };
}

/** What a call of this class brought, with its receipt. */
export function evidenceOf(cls: EvidenceClass, parts: Partial<ToolOutcome> = {}): Evidence {
  const outcome: ToolOutcome = { status: 'ok', data: {}, cls, ...parts };
  const tool: Tool = {
    name: cls,
    capability: 'session',
    family: 'session',
    description: '',
    parameters: {},
    run: async () => outcome,
  };
  const stamp = {
    seq: 1,
    args: {},
    payload: '{}',
    injectionSuspect: false,
    durationMs: 0,
    startedUnix: 0,
    notes: [],
  };
  const { items = [], lines = [], source = null, listing = null } = outcome;
  return { receipt: receiptOf(tool, outcome, stamp), items, lines, source, listing };
}
