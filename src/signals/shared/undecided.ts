import { compareCodePoints } from '../../foreign/order.js';
import type { CollectorName, Snapshot } from '../../sources/snapshot.js';
import type { Rule, RuleRun } from '../rule.js';

const UNANSWERED: ReadonlySet<string> = new Set(['unknown', 'timeout', 'error', 'skipped']);

/**
 * Symptoms that were neither found nor found absent: those of a failed rule, those whose collector gave no answer, and those
 * the rule names itself (spec 05 A.12.1). A snapshot without collector reports leaves out the second kind.
 */
export function undecidedNames(
  runs: readonly { readonly rule: Rule; readonly run: RuleRun; readonly failed: boolean }[],
  snapshot: Snapshot,
): string[] {
  const names = new Set<string>();
  for (const { rule, run, failed } of runs) {
    for (const name of run.undecided) names.add(name);
    const isBlind = failed || isUnanswered(rule.needs, snapshot);
    // No list of pairs: this is done for every symptom there is, at every tick.
    for (const name in rule.symptoms) {
      const needs = failed ? undefined : rule.symptoms[name]?.needs;
      if (needs === undefined ? isBlind : isUnanswered(needs, snapshot)) names.add(name);
    }
  }
  return [...names].sort(compareCodePoints);
}

/** True when one of the collectors reports that it could not look; without a report there is nothing to doubt. */
export function isUnanswered(collectors: readonly CollectorName[], snapshot: Snapshot): boolean {
  const reports = snapshot.collectors ?? {};
  return collectors.some((name) => UNANSWERED.has(reports[name]?.status ?? ''));
}
