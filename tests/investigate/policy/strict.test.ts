import { describe, expect, it } from 'vitest';
import { createFileTree } from '../../../src/investigate/evidence/file-tree.js';
import { receiptOf } from '../../../src/investigate/ledger/receipt-of.js';
import type { Evidence, EvidenceItem } from '../../../src/investigate/model/evidence.js';
import type { EvidenceClass } from '../../../src/investigate/model/receipt.js';
import { missingEvidence } from '../../../src/investigate/policy/missing.js';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import {
  type PolicyClaim,
  type PolicyContext,
  strictSupport,
} from '../../../src/investigate/policy/strict.js';
import type { Tool, ToolOutcome } from '../../../src/investigate/tools/tool.js';
import { item } from '../support.js';

const FILE = 'src/cart/Store.cs';
let seq = 0;

function evidence(cls: EvidenceClass, parts: Partial<ToolOutcome>, suspect = false): Evidence {
  seq += 1;
  const outcome: ToolOutcome = { status: 'ok', data: {}, cls, hasContent: true, ...parts };
  const tool: Tool = {
    name: cls,
    capability: 'session',
    family: 'session',
    description: '',
    parameters: {},
    run: async () => outcome,
  };
  const stamp = {
    seq,
    args: {},
    payload: '{}',
    injectionSuspect: suspect,
    durationMs: 0,
    startedUnix: 0,
    notes: [],
  };
  const { items = [], lines = [], source = null, listing = null } = outcome;
  return { receipt: receiptOf(tool, outcome, stamp), items, lines, source, listing };
}

const seen = (cls: 'trace' | 'log' | 'state', change: Partial<EvidenceItem> = {}): EvidenceItem => {
  seq += 1;
  return item({ key: `${cls}-${seq}`, cls, tsUnix: 1000, entities: ['service:cart'], ...change });
};
const oom = { fingerprint: 'oom_killed', text: 'out of memory' };
const log = (change: Partial<EvidenceItem> = {}) =>
  evidence('log', { items: [seen('log', { ...oom, ...change })], services: ['cart'] });
const trace = (change: Partial<EvidenceItem> = {}) =>
  evidence('trace', { items: [seen('trace', change)], services: ['cart'] });
const state = (change: Partial<EvidenceItem> = {}) =>
  evidence('state', { items: [seen('state', { entities: ['gpu:1'], kind: 'vram', ...change })] });
const source = evidence('source', {
  source: { path: FILE, lineStart: 10, lineEnd: 12, lines: ['a', '', 'c'] },
});

function support(
  receipts: Evidence[],
  claim: Partial<PolicyClaim> = {},
  context: Partial<PolicyContext> = {},
) {
  return strictSupport(
    { errorType: 'oom', service: 'cart', filePath: null, lineNumber: null, ...claim },
    {
      evidence: receipts,
      issue: issueOfText(''),
      mode: 'llm',
      trees: [],
      reproductions: [],
      maxGapS: 900,
      ...context,
    },
  );
}
const anchored = { fileHint: `${FILE}:10` };
const place = { filePath: FILE, lineNumber: 10 };

describe('the strict policy', () => {
  it.each<[string, Evidence[], Partial<PolicyClaim>, string]>([
    ['nothing', [], {}, 'low'],
    ['one class', [log()], {}, 'low'],
    ['trace and log that agree', [log(), trace()], {}, 'medium'],
    ['the same 900 s apart', [log(), trace({ tsUnix: 1900 })], {}, 'medium'],
    ['and 901 s', [log(), trace({ tsUnix: 1901 })], {}, 'low'],
    ['of another service', [log(), trace({ entities: ['service:ad'] })], {}, 'low'],
    ['claimed of another service', [log(), trace()], { service: 'ad' }, 'low'],
    ['without a time', [log(), trace({ tsUnix: null })], {}, 'low'],
    ['an unknown type', [log(), trace()], { errorType: 'unknown' }, 'low'],
    ['lines of another group', [log(), trace()], { errorType: 'network' }, 'low'],
    ['lines of the same group', [log(), trace()], { errorType: 'infra' }, 'medium'],
    ['a reading that matches', [log(), state()], {}, 'medium'],
    ['a reading of another kind', [log(), state({ kind: 'disk' })], {}, 'low'],
    ['a reading beside an untyped line', [log({ fingerprint: null, text: null }), state()], {}, 'low'],
    ['a reading of another device', [log({ entities: ['service:cart', 'gpu:2'] }), state()], {}, 'low'],
    ['a file that was read and is pointed to', [log(anchored), source], place, 'medium'],
    ['a file that nothing points to', [log(), source], place, 'low'],
    ['a line outside what was read', [log(anchored), source], { ...place, lineNumber: 99 }, 'low'],
    ['a blank line', [log(anchored), source], { ...place, lineNumber: 11 }, 'low'],
    ['anchor and corroboration', [log(anchored), trace(), source], place, 'high'],
    ['all three observing classes', [log(), trace(), state()], {}, 'high'],
    [
      'all three, for a type that has a source line',
      [log({ fingerprint: 'segfault' }), trace(), state()],
      { errorType: 'runtime_error' },
      'medium',
    ],
  ])('%s', (_what, receipts, claim, band) => {
    expect(support(receipts, claim).band).toBe(band);
  });

  it('a consequence bears on a claim only beside its cause', () => {
    const effect = trace({ fingerprint: 'engine_core_died', text: 'Engine core died' });
    expect(support([effect, log()]).band).toBe('medium');
    expect(support([effect, log({ entities: ['service:ad'] })]).band).toBe('low');
  });

  it('a slow span says something only about slowness', () => {
    const slow = evidence('trace', { items: [seen('trace', { kind: 'slow' })], services: ['cart'] });
    const line = evidence('log', { items: [seen('log', { fingerprint: 'oom_killed' })] });
    expect(support([slow, line]).band).toBe('low');
    const refused = evidence('log', { items: [seen('log', { fingerprint: 'econnrefused' })] });
    expect(support([slow, refused], { errorType: 'network' }).band).toBe('medium');
  });

  it('a frame on a line nearby, resolved in the tree, links a file', () => {
    const frame = {
      source: 'cart',
      line: null,
      tsUnix: 1001,
      text: '  at Store.Empty() in /app/cart/Store.cs:line 10',
    };
    const logged = evidence('log', {
      items: [seen('log', { ...oom, source: 'cart' })],
      lines: [frame],
      services: ['cart'],
    });
    const trees = [createFileTree([FILE, 'src/ad/Other.cs'])];
    expect(support([logged, source], place, { trees }).band).toBe('medium');
    const late = evidence('log', {
      items: [seen('log', { ...oom, source: 'cart' })],
      lines: [{ ...frame, tsUnix: 1006 }],
      services: ['cart'],
    });
    expect(support([late, source], place, { trees }).band).toBe('low');
  });

  it('without a model nothing is above medium', () => {
    expect(support([log(anchored), trace(), source], place, { mode: 'deterministic' }).band).toBe('medium');
  });

  it('a result with text like instructions cannot lift a claim to high', () => {
    const suspect = evidence('trace', { items: [seen('trace')], services: ['cart'] }, true);
    expect(support([log(anchored), suspect, source], place)).toMatchObject({ band: 'medium' });
    expect(support([log(anchored), trace(), suspect, source], place).band).toBe('high');
  });

  it('a fault that does not explain what was reported is low', () => {
    expect(support([log(), trace()], {}, { issue: issueOfText('the disk is full') }).band).toBe('low');
    expect(
      support([log(), trace()], {}, { issue: issueOfText('memory grows and the disk is full') }).band,
    ).toBe('medium');
  });

  it('a full listing of healthy traces takes a band away', () => {
    const healthy = (listed: number, failing = 0) =>
      evidence('trace', {
        services: ['cart'],
        listing: { service: 'cart', startUnix: 900, endUnix: 1100, listed, failing },
      });
    const files = [log(anchored), source];
    expect(support([...files, healthy(20)], place).band).toBe('low');
    expect(support([...files, healthy(19)], place).band).toBe('medium');
    expect(support([...files, healthy(20, 1)], place).band).toBe('medium');
    expect(support([...files, trace(), healthy(20)], place).band).toBe('high');
  });

  it('a reproduction counts when it is verified, and against the claim when it ran and failed', () => {
    const files = [log(anchored), source];
    expect(support(files, place, { reproductions: [{ filePath: FILE, verified: true }] }).band).toBe('high');
    expect(support(files, place, { reproductions: [{ filePath: FILE, verified: false }] }).band).toBe('low');
    const both = [false, true].map((verified) => ({ filePath: FILE, verified }));
    expect(support(files, place, { reproductions: both }).band).toBe('high');
    expect(support([log()], place, { reproductions: [{ filePath: 'other.cs', verified: true }] }).band).toBe(
      'low',
    );
  });

  it('says what is missing for the next band, in terms of what is there', () => {
    const means = { traces: true, logs: true, source: true, sandbox: false };
    expect(missingEvidence(support([log()]), means)).toBe(
      'missing for medium: a trace and a log of the same thing within 15 minutes, or the source line that the evidence points to, read',
    );
    expect(missingEvidence(support([log(), trace()]), means)).toContain('missing for high: the source line');
    expect(missingEvidence(support([log(), state()]), means)).toContain('or trace and log that agree');
    expect(missingEvidence(support([log(anchored), trace(), source], place), means)).toBe('');
  });
});
