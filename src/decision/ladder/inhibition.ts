import { compareCodePoints } from '../../foreign/order.js';
import type { Explanation, SymptomSpec } from '../../signals/rule.js';
import { type Severity, type Symptom, severityRank } from '../../signals/symptom.js';
import type { Evaluation, Listed } from './evaluation.js';
import { splitKey } from './key.js';

/** Role of a log pattern symptom, undefined for other symptoms (spec 03 §8.2). */
export type LogRoleOf = (symptom: Symptom) => string | undefined;

/** How the ladder knows what rules declare. */
export interface SymptomLookup {
  readonly specOf: (name: string) => SymptomSpec | undefined;
  readonly logRoleOf: LogRoleOf;
}

/** Why a listed symptom is not sent by itself (spec 04 §13). */
export interface Explained {
  /** The cause at the end of the chain. */
  readonly rootKey: string;
  /** False: an event that was reported lately and is not in this tick's list. */
  readonly isRootListed: boolean;
  /** Whether its destructive intent may go out while it is explained. */
  readonly destructive: 'kept' | 'dropped';
}

interface Cause {
  readonly key: string;
  readonly symptom: Symptom;
  readonly isListed: boolean;
}

interface Link {
  readonly cause: Cause;
  readonly explanation: Explanation;
}

/**
 * Step 3: which listed symptoms are explained, and by what. Conditions that throw explain nothing and are reported.
 * `silenced`: keys that an operator silenced.
 */
export function explainedSymptoms(
  evaluation: Evaluation,
  lookup: SymptomLookup,
  silenced: ReadonlySet<string>,
  warn: (message: string) => void,
): Map<string, Explained> {
  const explained = new Map<string, Explained>();
  if (!evaluation.config.inhibition_enabled) return explained;
  const causes = presentCauses(evaluation, lookup);
  const links = new Map<string, Link | undefined>();
  const speaksFor = siblingOrder(evaluation, silenced);
  const linkOf = (item: Listed): Link | undefined => {
    if (!links.has(item.key)) links.set(item.key, bestLink(item, causes, speaksFor, lookup, warn));
    return links.get(item.key);
  };
  for (const item of evaluation.listed) {
    const first = linkOf(item);
    if (first === undefined) continue;
    const root = rootOf(item, first.cause, linkOf);
    if (root === undefined) {
      links.set(item.key, undefined);
      continue;
    }
    explained.set(item.key, {
      rootKey: root.key,
      isRootListed: root.isListed,
      destructive: first.explanation.destructive ?? 'dropped',
    });
  }
  return explained;
}

/** Listed symptoms that can explain something, and events that were reported lately. */
function presentCauses(evaluation: Evaluation, { specOf }: SymptomLookup): Cause[] {
  const { listed, slot, now, config } = evaluation;
  const canExplain = (name: string): boolean => (specOf(name)?.explains ?? []).length > 0;
  const causes: Cause[] = listed
    .filter(({ symptom }) => canExplain(symptom.name))
    .map((item) => ({ ...item, isListed: true }));
  const here = new Set(listed.map(({ key }) => key));
  for (const [key, { unix, severity }] of slot.lastPresent) {
    const { name, subject } = splitKey(key);
    const isRecent = now >= unix && now - unix <= config.inhibition_event_s;
    if (here.has(key) || !isRecent || !canExplain(name)) continue;
    causes.push({ key, symptom: remembered(name, subject, severity), isListed: false });
  }
  return causes;
}

function remembered(name: string, subject: Symptom['subject'], severity: Severity): Symptom {
  return { name, severity, subject, summary: name, evidence: {}, source: 'unknown', suggestion: '' };
}

/** Of several explainers the more severe one, then the earlier row, then the smaller key (spec 04 §13.2). */
function bestLink(
  item: Listed,
  causes: readonly Cause[],
  speaksFor: SiblingOrder,
  lookup: SymptomLookup,
  warn: (message: string) => void,
): Link | undefined {
  const links = causes.flatMap((cause) => {
    if (cause.key === item.key) return [];
    if (severityRank(cause.symptom.severity) < severityRank(item.symptom.severity)) return [];
    return (lookup.specOf(cause.symptom.name)?.explains ?? [])
      .filter(({ amongSiblings = false }) => !amongSiblings || speaksFor(cause, item))
      .filter((explanation) => applies(explanation, cause.symptom, item.symptom, lookup, warn))
      .map((explanation) => ({ cause, explanation }));
  });
  return links.sort(compareLinks)[0];
}

/** Whether a sibling speaks for another one. */
type SiblingOrder = (cause: Cause, item: Listed) => boolean;

/**
 * A strict order, so that siblings never explain each other in a circle: the more severe one, then one that has spoken in this
 * episode, so that the root stays the same while it is there, then the smaller key. Whom an operator silenced speaks for nobody.
 */
function siblingOrder({ slot }: Evaluation, silenced: ReadonlySet<string>): SiblingOrder {
  const hasSpoken = (key: string): boolean => (slot.entries.get(key)?.severity ?? null) !== null;
  return (cause, item) => {
    if (!cause.isListed || silenced.has(cause.key)) return false;
    const bySeverity = severityRank(cause.symptom.severity) - severityRank(item.symptom.severity);
    if (bySeverity !== 0) return bySeverity > 0;
    if (hasSpoken(cause.key) !== hasSpoken(item.key)) return hasSpoken(cause.key);
    return compareCodePoints(cause.key, item.key) < 0;
  };
}

function compareLinks(a: Link, b: Link): number {
  return (
    severityRank(b.cause.symptom.severity) - severityRank(a.cause.symptom.severity) ||
    a.explanation.row - b.explanation.row ||
    compareCodePoints(a.cause.key, b.cause.key)
  );
}

function applies(
  explanation: Explanation,
  explainer: Symptom,
  symptom: Symptom,
  { logRoleOf }: SymptomLookup,
  warn: (message: string) => void,
): boolean {
  const { explains, asRole, when } = explanation;
  if (asRole !== undefined && logRoleOf(explainer) !== asRole) return false;
  const isNamed =
    explains.includes(symptom.name) || explains.includes(`${symptom.name}:${logRoleOf(symptom)}`);
  if (!isNamed || when === undefined) return isNamed;
  try {
    return when(explainer, symptom);
  } catch (error) {
    warn(`condition of row ${explanation.row} failed for ${symptom.name}: ${String(error)}`);
    return false;
  }
}

/** Follows explainers upward; undefined when the chain leads back to where it began, because then somebody must speak. */
function rootOf(item: Listed, first: Cause, linkOf: (item: Listed) => Link | undefined): Cause | undefined {
  const seen = new Set<string>();
  let root = first;
  for (;;) {
    if (root.key === item.key) return undefined;
    seen.add(root.key);
    const next = linkOf(root)?.cause;
    if (next === undefined || seen.has(next.key)) return root;
    root = next;
  }
}
