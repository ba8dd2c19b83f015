import type { Case } from './case.js';
import type { CaseSet } from './case-set.js';
import { caseText } from './case-text.js';

/** A test as promptfoo reads it: its own names, hence not ours. */
export type PromptfooTest = {
  readonly description: string;
  readonly vars: { readonly input: string };
  readonly assert: readonly { readonly type: 'regex'; readonly value: string }[];
  readonly metadata: {
    readonly case_id: string;
    readonly group_id: string;
    readonly segment: string;
    readonly split: 'dev' | 'confirm' | 'audit';
    readonly source: Case['source'];
  };
};

/**
 * Cases in the test format of promptfoo, for people to look at and to run by hand (spec 08 §24.5): `prompts: [file://v1.md]`
 * with the prompt as system text and `{{input}}` as user text. The assertion is about the class or action alone; grounding and
 * form are what our own scorers add.
 */
export function promptfooTests(promptId: string, cases: CaseSet): PromptfooTest[] {
  return (['dev', 'confirm', 'audit'] as const).flatMap((split) =>
    cases[split].map((one) => ({
      description: `${one.case_id}: ${one.expected.action_id ?? one.expected.class}`,
      vars: { input: caseText(one) },
      assert: [assertionOf(promptId, one)],
      metadata: {
        case_id: one.case_id,
        group_id: one.group_id,
        segment: one.segment,
        split,
        source: one.source,
      },
    })),
  );
}

function assertionOf(promptId: string, { expected }: Case): PromptfooTest['assert'][number] {
  if (promptId !== 'rca') {
    const isProposer = promptId === 'rx_proposer';
    const names = isProposer ? [expected.action_id ?? expected.class, ...expected.also_ok] : [expected.class];
    const key = isProposer ? 'action_id' : 'error_type';
    return { type: 'regex', value: `"${key}"\\s*:\\s*"(?:${names.map(escaped).join('|')})"` };
  }
  // Without flags: the last line is the one before the end of the text.
  const named = `(?:^|\\n)[ \\t]*[Cc]ause[ \\t]*:[ \\t]*${escaped(expected.class)}[ \\t.]*\\s*$`;
  const phrase = '^\\s*[Ii]nsufficient evidence\\.?\\s*$';
  return { type: 'regex', value: expected.insufficient ? `${phrase}|${named}` : named };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
