import { describe, expect, it, onTestFinished } from 'vitest';
import { demoEdits } from '../../../src/selfedit/demo/demo-edits.js';
import { demoParts, demoProposal, demoSettings } from '../../../src/selfedit/demo/run-demo.js';
import { mergeOf } from '../../../src/selfedit/loop/merge.js';
import { bestOn, dominated } from '../../../src/selfedit/loop/pareto.js';
import type { RunReport } from '../../../src/selfedit/loop/report.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import type { Screened } from '../../../src/selfedit/loop/screen.js';
import { applyEdit, type EditOp, editIdOf } from '../../../src/selfedit/prompt/edit.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';
import { tempDir } from '../../support/temp-dir.js';

interface Searched {
  readonly report: RunReport;
  readonly prompt: string;
  readonly files: ReadonlyMap<string, object>;
  readonly tests: number;
}

/** One iteration with the named edits of the demo, with search. */
async function searched(labels: readonly string[], hasSearch = true): Promise<Searched> {
  const opened = await openStore(':memory:');
  if (!opened.ok) throw new Error(opened.problem);
  onTestFinished(() => {
    opened.db.close();
  });
  const files = new Map<string, object>();
  const parts = await demoParts({ seed: 7, churn: 0, directory: tempDir(), db: opened.db });
  const edits = demoEdits(7).filter(({ label }) => labels.includes(label));
  const report = await runLoop(
    {
      ...parts,
      propose: async ({ base }) => ({
        proposals: edits.map((one) => demoProposal(one, base, parts.cases.dev)),
        problems: [],
        usage: null,
        model: 'script',
        isExhausted: true,
      }),
      artefacts: {
        write: (name, content, isPartial = false) => files.set(name, { ...content, isPartial }),
        writeText: () => undefined,
        traffic: () => undefined,
      },
    },
    { ...demoSettings({ seed: 7 }), hasSearch },
  );
  const prompt = parts.registry.current()?.text ?? '';
  return { report, prompt, files, tests: parts.ledger.rows().length };
}

const verdicts = ({ report }: Searched): Record<string, string> =>
  Object.fromEntries(report.edits.map(({ label, verdict }) => [label ?? 'merge', verdict]));

describe('search among the edits of an iteration (spec 08 §24.5)', () => {
  it('unites two edits that complement each other, and spends one test on both', async () => {
    const both = await searched(['g1', 'g2']);
    expect(verdicts(both)).toEqual({
      merge: 'promote',
      g1: 'blocked_duplicate',
      g2: 'blocked_duplicate',
    });
    expect(both.prompt.match(/Compare each figure/g)).toHaveLength(1);
    expect(both.prompt.match(/Look for the earliest event/g)).toHaveLength(1);
    expect(both.tests).toBe(1);
    const apart = await searched(['g1', 'g2'], false);
    expect(apart.tests).toBe(2);
    expect(both.report.calls).toBeLessThan(apart.report.calls);
    expect(apart.prompt.split('\n').sort()).toEqual(both.prompt.split('\n').sort());
  });

  it('drops what harms after twenty dev cases', async () => {
    const { report } = await searched(['h2']);
    expect(report.edits[0]).toMatchObject({ verdict: 'screened_out', screen: { n: 20 } });
    expect(report.edits[0]?.reason).toMatch(/^dropped after 20 dev cases/);
    expect(report.calls).toBe(40);
    const { report: slow } = await searched(['h2'], false);
    expect(slow.edits[0]).toMatchObject({ verdict: 'screened_out', screen: { n: 95 } });
  });

  it('leaves what it did in screen.json, partial until the screens are done', async () => {
    const { files, report } = await searched(['g1', 'h2', 'x3']);
    const promoted = report.edits.find(({ verdict }) => verdict === 'promote');
    expect(files.get('iteration-01/screen.json')).toMatchObject({
      isPartial: false,
      dev_cases: 95,
      net_needed: 3,
      to_confirm: [promoted?.edit_id],
      screened: [{ label: 'g1', wins: 8, losses: 0, best_on_cases: 52 }],
      ended: expect.arrayContaining([expect.objectContaining({ verdict: 'blocked_frozen' })]),
    });
    expect(files.get(`iteration-01/confirm-${promoted?.edit_id}.json`)).toMatchObject({ isPartial: false });
    expect(files.get('report.json')).toMatchObject({ isPartial: false });
  });
});

const BASE = Array.from({ length: 12 }, (_, i) => `line ${i}`).join('\n');
const base = { version: 1, sha256: 's', text: BASE };

function screened(
  name: string,
  ops: readonly EditOp[],
  passes: Readonly<Record<string, number>>,
  change: Partial<Screened> = {},
): Screened {
  const applied = applyEdit(BASE, ops);
  if (!applied.ok) throw new Error(applied.problem);
  const demo = demoEdits(0)[0];
  if (demo === undefined) throw new Error('no edit');
  return {
    proposal: {
      label: name,
      edit: {
        edit_id: name,
        base_version: 1,
        base_sha256: 's',
        ops,
        section: '',
        hypothesis: `${name} helps`,
        intent: 'add_rule',
        expected: { segments: [name], net: 2 },
        evidence_traces: [],
      },
    },
    tally: { wins: 4, losses: 1, n: 20 },
    baseFailRate: 0.5,
    errorShare: 0,
    candidate: applied.text,
    isDropped: false,
    passes: new Map(Object.entries(passes)),
    segments: new Map(Object.keys(passes).map((id) => [id, id.slice(0, 1)])),
    promptTokens: 100,
    outputTokens: 50,
    ...change,
  };
}

const below = (line: number, text: string): EditOp => ({
  op: 'insert_after',
  old_text: `line ${line}`,
  new_text: text,
  ...(line === 1 && { occurrence: 1 }),
});

describe('a merge', () => {
  const a = screened('a', [below(2, 'first')], { x1: 1, x2: 0, y1: 0 });
  const b = screened('b', [below(8, 'second')], { x1: 0, x2: 1, y1: 0 });

  it('has the operations of both, both hypotheses, and names its parts', () => {
    const merged = mergeOf([a, b], base, 'rca')?.edit;
    expect(merged).toMatchObject({
      edit_id: editIdOf('rca', 's', [below(2, 'first'), below(8, 'second')]),
      merged_from: ['a', 'b'],
      hypothesis: 'both: a helps; b helps',
      expected: { segments: ['a', 'b'], net: 4 },
    });
    const applied = applyEdit(BASE, merged?.ops ?? []);
    expect(applied.ok && applied.text).toContain('line 2\nfirst\nline 3');
  });

  it.each<[string, Screened, Screened]>([
    ['the same line', a, screened('b', [below(2, 'second')], { x1: 0, x2: 1 })],
    [
      'neighbouring lines',
      a,
      screened('b', [{ op: 'replace', old_text: 'line 3', new_text: 'else' }], { x2: 1 }),
    ],
    ['an edit that adds nothing', a, screened('b', [below(8, 'second')], { x1: 1, x2: 0 })],
    ['an edit without net wins', a, { ...b, tally: { wins: 2, losses: 2, n: 20 } }],
  ])('is not made of %s', (_what, one, other) => {
    expect(mergeOf([one, other], base, 'rca')).toBeNull();
  });

  it('takes the pair that is right most often together, and no merge as a part', () => {
    const c = screened('c', [below(5, 'third')], { x1: 0, x2: 1, y1: 1 });
    expect(mergeOf([a, b, c], base, 'rca')?.edit.merged_from).toEqual(['a', 'c']);
    const united = screened('u', [below(5, 'third')], { x1: 0, x2: 1, y1: 1 });
    const marked = {
      ...united,
      proposal: { ...united.proposal, edit: { ...united.proposal.edit, merged_from: ['p', 'q'] } },
    };
    expect(mergeOf([a, marked], base, 'rca')).toBeNull();
  });
});

describe('Pareto selection', () => {
  const op = [below(2, 'first')];
  const good = screened('good', op, { x1: 1, x2: 1, y1: 1 });

  it.each<[string, Screened, readonly string[]]>([
    ['worse in one segment', screened('other', op, { x1: 1, x2: 0, y1: 1 }), ['other']],
    ['as good and longer', screened('other', op, { x1: 1, x2: 1, y1: 1 }, { promptTokens: 101 }), ['other']],
    [
      'as good with longer answers',
      screened('other', op, { x1: 1, x2: 1, y1: 1 }, { outputTokens: 51 }),
      ['other'],
    ],
    ['equal in all', screened('other', op, { x1: 1, x2: 1, y1: 1 }), ['other']],
    ['as good and shorter', screened('other', op, { x1: 1, x2: 1, y1: 1 }, { promptTokens: 99 }), ['good']],
    ['worse, but shorter', screened('other', op, { x1: 1, x2: 0, y1: 1 }, { promptTokens: 99 }), []],
  ])('an edit that is %s', (_what, other, beaten) => {
    expect([...dominated([good, other]).keys()]).toEqual(beaten);
  });

  it('keeps one of each segment, and counts on how many cases each is best', () => {
    const x = screened('x', op, { x1: 1, y1: 0 });
    const y = screened('y', op, { x1: 0, y1: 1 });
    const none = screened('none', op, { x1: 0, y1: 0 });
    expect(dominated([x, y]).size).toBe(0);
    expect(Object.fromEntries(bestOn([x, y, none]))).toEqual({ x: 1, y: 1, none: 0 });
  });
});
