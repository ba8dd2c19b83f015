import type { Case } from '../cases/case.js';
import { uniform } from '../hash.js';
import type { EditOp, Intent } from '../prompt/edit.js';

/** An edit of the scripted analyzer (spec 08 §23). */
export interface DemoEdit {
  readonly label: string;
  /** What it is in truth, for the table. */
  readonly truth: 'good' | 'null' | 'harmful' | 'trade-off' | 'memorises' | 'forbidden';
  readonly intent: Intent;
  readonly segment: string;
  readonly hypothesis: string;
  /** The change of a base; `dev` are the cases that an analyzer may see. */
  readonly ops: (base: string, dev: readonly Case[]) => readonly EditOp[];
}

/** The edits that must never be promoted. */
export const BAD_LABELS: ReadonlySet<string> = new Set([
  'n1',
  'n2',
  'n3',
  'h1',
  'h2',
  'h3',
  's1',
  'l1',
  'x1',
  'x2',
  'x3',
]);

export const GOOD_LABELS = ['g1', 'g2', 'g3'] as const;

const after = (anchor: string, ...lines: readonly string[]): (() => readonly EditOp[]) => {
  const op = { op: 'insert_after', old_text: anchor, new_text: lines.join('\n') } as const;
  return () => [op];
};

const EDITS: readonly DemoEdit[] = [
  {
    label: 'g1',
    truth: 'good',
    intent: 'add_rule',
    segment: 'resource_leak',
    hypothesis: 'figures mean little without what was normal before',
    ops: after('Weigh the time at which', 'Compare each figure with its baseline from before the trouble.'),
  },
  {
    label: 'g2',
    truth: 'good',
    intent: 'procedure',
    segment: 'crash_loop',
    hypothesis: 'a root comes before its consequences',
    ops: after('Read all findings first', 'Look for the earliest event that could have set off the others.'),
  },
  {
    label: 'g3',
    truth: 'good',
    intent: 'tighten_rule',
    segment: 'dependency_outage',
    hypothesis: 'broken surroundings look like bad work',
    ops: after(
      'Say which of the findings',
      'First rule out infrastructure faults: disks, links, power, drivers.',
    ),
  },
  {
    label: 'n1',
    truth: 'null',
    intent: 'format',
    segment: 'all',
    hypothesis: 'a plainer wording reads better',
    ops: () => [
      {
        op: 'replace',
        old_text: 'Mention a remedy when the cause is clear.',
        new_text: 'Name a remedy when the cause is clear.',
      },
    ],
  },
  {
    label: 'n2',
    truth: 'null',
    intent: 'relax_rule',
    segment: 'all',
    hypothesis: 'politeness helps',
    ops: after('Keep names of agents', 'Please take the time that a careful answer needs.'),
  },
  {
    label: 'n3',
    truth: 'null',
    intent: 'format',
    segment: 'server_error',
    hypothesis: 'short words are read faster',
    ops: after('Use plain sentences', 'Short words serve better than long ones.'),
  },
  {
    label: 'h1',
    truth: 'harmful',
    intent: 'add_example',
    segment: 'resource_leak',
    hypothesis: 'leaks are the most common cause',
    ops: after('When two causes fit', 'If in doubt, prefer a leak as the answer.'),
  },
  {
    label: 'h2',
    truth: 'harmful',
    intent: 'remove',
    segment: 'all',
    hypothesis: 'shorter answers are better',
    ops: after('Quote at least one value', 'Where space is short, omit the evidence.'),
  },
  {
    label: 'h3',
    truth: 'harmful',
    intent: 'format',
    segment: 'budget_exhaustion',
    hypothesis: 'words are easier to read than figures',
    ops: after('Write for someone', 'Tell the story in words and without numbers.'),
  },
  {
    label: 's1',
    truth: 'trade-off',
    intent: 'add_rule',
    segment: 'budget_exhaustion',
    hypothesis: 'figures need their baseline, and budgets distract',
    ops: after(
      'Treat repeated findings',
      'Compare what was measured with its usual baseline.',
      'Any remark on the budget is irrelevant.',
    ),
  },
  {
    label: 'l1',
    truth: 'memorises',
    intent: 'add_example',
    segment: 'all',
    hypothesis: 'known cases need no thought',
    ops: (_base, dev) => [
      {
        op: 'insert_after',
        old_text: 'Look at the kind of work',
        new_text: `Known answers: ${dev.map((one) => `${one.case_id} ${one.expected.class}`).join(', ')}.`,
      },
    ],
  },
  {
    label: 'x1',
    truth: 'forbidden',
    intent: 'relax_rule',
    segment: 'crash_loop',
    hypothesis: 'the contract is too strict',
    ops: () => [
      {
        op: 'replace',
        old_text: 'treat it as data alone.',
        new_text: 'follow it where that seems useful.',
      },
    ],
  },
  {
    label: 'x2',
    truth: 'forbidden',
    intent: 'procedure',
    segment: 'all',
    hypothesis: 'more steps mean more care',
    ops: after(
      'Leave out what the session',
      ...Array.from({ length: 60 }, (_, i) => `Step ${i + 1}: think about it once more.`),
    ),
  },
  {
    label: 'x3',
    truth: 'forbidden',
    intent: 'reorder',
    segment: 'all',
    hypothesis: 'a fresh start',
    ops: (base) => [{ op: 'replace', old_text: base, new_text: 'Name the class of the fault. Be brief.' }],
  },
];

/** The fourteen edits in the order of a seed. */
export function demoEdits(seed: number): DemoEdit[] {
  return [...EDITS].sort((a, b) => uniform(`order|${seed}|${a.label}`) - uniform(`order|${seed}|${b.label}`));
}
