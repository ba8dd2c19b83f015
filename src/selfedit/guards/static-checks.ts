import type { SelfeditConfig } from '../config/fields.js';
import { ngramDrift } from '../prompt/drift.js';
import { applyEdit, type Edit, normaliseLines } from '../prompt/edit.js';
import { diffCounts } from '../prompt/line-diff.js';
import { tokenDistance, tokensOf } from '../prompt/tokens.js';
import { atMost, type Check, unless } from './check.js';
import { frozenProblem, touchesFrozen } from './frozen-check.js';
import { type LeakCorpus, leakProblem } from './leak-lint.js';
import { unnamedPolarityChanges } from './polarity-lint.js';

/** What an edit is judged against, all of it free (spec 08 §24.2 stage 0). */
export interface StaticContext {
  /** The prompt it is applied to. */
  readonly base: string;
  /** Version 1 of the prompt, from which growth and drift add up. */
  readonly first: string;
  readonly corpus: LeakCorpus;
  readonly config: SelfeditConfig;
  /** Why the edit repeats another one; null: it does not; absent: not asked, as when an edit is applied anew. */
  readonly duplicate?: (edit: Edit) => string | null;
  /** Drift of two texts; by word sequences where nothing else is given. */
  readonly driftOf?: (before: string, after: string) => number;
}

/** The candidate when every check passed; else `blocked_<check>`, with all checks that ran. */
export interface StaticOutcome {
  readonly checks: readonly Check[];
  readonly candidate: string | null;
  readonly blockedBy: Check | null;
}

/** Drift of one edit, at most (spec 08 §24.7). */
const MAX_EDIT_DRIFT = 0.15;

/** Runs the checks that need no call, in their order, up to the first that fails. */
export function staticChecks(edit: Edit, context: StaticContext): StaticOutcome {
  const base = normaliseLines(context.base);
  const applied = applyEdit(base, edit.ops);
  const checks: Check[] = [unless('applies', applied.ok ? null : applied.problem)];
  if (!applied.ok) return { checks, candidate: null, blockedBy: checks[0] ?? null };

  for (const check of [frozen, size, growth, drift, leak, polarity, duplicate]) {
    const result = check(edit, base, applied.text, context);
    if (result === null) continue;
    checks.push(result);
    if (!result.passed) return { checks, candidate: null, blockedBy: result };
  }
  return { checks, candidate: applied.text, blockedBy: null };
}

type StaticCheck = (edit: Edit, base: string, candidate: string, context: StaticContext) => Check | null;

const frozen: StaticCheck = (edit, base, candidate) => {
  const moved = edit.ops.some(({ op, old_text }) => op !== 'insert_after' && touchesFrozen(base, old_text));
  const added = edit.ops.map(({ new_text }) => normaliseLines(new_text));
  return unless('frozen', moved ? 'the edit touches a frozen line' : frozenProblem(base, candidate, added));
};

const size: StaticCheck = (_edit, base, candidate, { config }) => {
  const lines = diffCounts(base, candidate).total;
  if (lines > config.max_edit_lines) return atMost('size', lines, config.max_edit_lines);
  const before = tokensOf(base);
  const distance = tokenDistance(before, tokensOf(candidate));
  return atMost('size', distance / Math.max(1, before.length), config.max_edit_token_share);
};

const growth: StaticCheck = (_edit, base, candidate, { first, config }) => {
  const after = tokensOf(candidate).length;
  const over = (text: string): number => after / Math.max(1, tokensOf(text).length) - 1;
  const own = over(base);
  if (own > config.max_growth_tokens_per_edit)
    return atMost('growth', own, config.max_growth_tokens_per_edit);
  return atMost('growth', over(first), config.max_growth_tokens_total);
};

const drift: StaticCheck = (_edit, base, candidate, { first, config, driftOf = ngramDrift }) => {
  const own = driftOf(base, candidate);
  return own > MAX_EDIT_DRIFT
    ? atMost('drift', own, MAX_EDIT_DRIFT)
    : atMost('drift', driftOf(first, candidate), config.drift_max);
};

const leak: StaticCheck = (edit, base, _candidate, { corpus }) => {
  const texts = edit.ops.map(({ new_text }) => new_text).join('\n');
  return unless('leak', leakProblem(texts, base, corpus));
};

const polarity: StaticCheck = (edit, base, candidate) => {
  const words = unnamedPolarityChanges(base, candidate, edit.hypothesis);
  return unless('polarity', words.length === 0 ? null : `changes ${words.join(', ')} without saying so`);
};

const duplicate: StaticCheck = (edit, _base, _candidate, context) =>
  context.duplicate === undefined ? null : unless('duplicate', context.duplicate(edit));
