import type { ConfigValue } from '../foreign/config-field.js';
import type { JsonObject } from '../foreign/json.js';
import { type Redact, redactText } from '../foreign/redact.js';
import type { ReactorContext } from '../reactor/context.js';
import type { Snapshot } from '../sources/snapshot.js';
import { buildBusLists } from './build-bus-lists.js';
import { RULES } from './registry.js';
import type { Rule, RuleFailure, RuleRun, Settlement } from './rule.js';
import { cleanSymptom } from './shared/clean-symptom.js';
import { compareSymptoms, foldByKey, mostSevere } from './shared/order-symptoms.js';
import { undecidedNames } from './shared/undecided.js';
import type { Symptom } from './symptom.js';

/** An evaluator that an embedder adds after the rules (spec 03 §2.3). */
export interface ExtraEvaluator {
  readonly name: string;
  evaluate(context: ReactorContext, snapshot: Snapshot): readonly Symptom[];
}

export interface ClassifyInput {
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  /** Agent configuration by wire name; a field that is missing has its default. */
  readonly config: Readonly<Record<string, ConfigValue | undefined>>;
  /** A slot of the detector state as stored, `{}` without one. */
  loadSlot(slot: string): JsonObject;
}

export interface ClassifyOptions {
  readonly rules?: readonly Rule[];
  readonly extraEvaluators?: readonly ExtraEvaluator[];
  /** Masks credentials in what the symptoms say. */
  readonly redact?: Redact;
}

/** What one evaluation found. */
export interface Classification {
  /** One per key, most severe first (spec 03 §2.3). */
  readonly symptoms: readonly Symptom[];
  /** Names of symptoms that are neither present nor absent, sorted (spec 05 A.12.1). */
  readonly undecided: readonly string[];
  /** Rules and extra evaluators that threw; they contributed nothing. */
  readonly failures: readonly RuleFailure[];
  /** Rules that reported more than is kept, with the number of symptoms that were left out; those are undecided. */
  readonly overflows: readonly Overflow[];
  /** The slots to save once the ladder has decided; a rule that failed keeps the slot that it had. */
  finalStates(settlement: Settlement): FinalStates;
}

export interface Overflow {
  readonly rule: string;
  readonly count: number;
}

export interface FinalStates {
  readonly slots: Readonly<Record<string, JsonObject>>;
  readonly failures: readonly RuleFailure[];
}

/** Symptoms kept of one rule; a host has fewer GPUs, disks and families than this, a forged prompt may have thousands. */
const MAX_PER_RULE = 64;

const NOTHING: RuleRun = { symptoms: [], undecided: [], finalState: () => undefined };

/**
 * Runs the rules in registry order, then the extra evaluators, each isolated from the others; cleans, folds and sorts what
 * they report (spec 03 §2.3, G-1, G-5).
 */
export function classify(input: ClassifyInput, options: ClassifyOptions = {}): Classification {
  const { rules = RULES, extraEvaluators = [], redact = redactText } = options;
  const { context, snapshot, config } = input;
  const failures: RuleFailure[] = [];
  const overflows: Overflow[] = [];
  const bus = isolated('bus', failures, () => buildBusLists(context, snapshot)) ?? NO_BUS;

  const runs = rules.map((rule) => {
    const run = isolated(rule.name, failures, () => {
      const rawState = rule.stateSlot === undefined ? {} : input.loadSlot(rule.stateSlot);
      const full = rule.run({ context, snapshot, bus, config, rawState, failedRules: failures.slice() });
      if (full.symptoms.length === 0) return full;
      const { kept, rest } = mostSevere(full.symptoms, MAX_PER_RULE);
      if (rest.length > 0) overflows.push({ rule: rule.name, count: rest.length });
      return {
        symptoms: kept.map((symptom) => cleanSymptom(symptom, redact)),
        undecided: [...full.undecided, ...rest.map(({ name }) => name)],
        finalState: full.finalState,
      };
    });
    return { rule, run: run ?? NOTHING, failed: run === undefined };
  });
  const extra = extraEvaluators.flatMap(
    (evaluator) =>
      isolated(evaluator.name, failures, () =>
        evaluator.evaluate(context, snapshot).map((symptom) => cleanSymptom(symptom, redact)),
      ) ?? [],
  );

  const raw = [...runs.flatMap(({ run }) => run.symptoms), ...extra];
  return {
    symptoms: foldByKey(raw).sort(compareSymptoms),
    undecided: undecidedNames(runs, snapshot),
    failures,
    overflows,
    finalStates: (settlement) => finalStates(runs, settlement),
  };
}

const NO_BUS = { inboxFirst: [], eventsFirst: [] };

function finalStates(
  runs: readonly { readonly rule: Rule; readonly run: RuleRun }[],
  settlement: Settlement,
): FinalStates {
  const failures: RuleFailure[] = [];
  const slots: Record<string, JsonObject> = {};
  for (const { rule, run } of runs) {
    const slot = rule.stateSlot;
    if (slot === undefined) continue;
    const state = isolated(rule.name, failures, () => run.finalState(settlement));
    if (state !== undefined) slots[slot] = state;
  }
  return { slots, failures };
}

function isolated<T>(name: string, failures: RuleFailure[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    failures.push({ rule: name, ...describeError(error) });
    return undefined;
  }
}

function describeError(error: unknown): Pick<RuleFailure, 'errorClass' | 'message'> {
  if (error instanceof Error) return { errorClass: error.name, message: error.message };
  return { errorClass: typeof error, message: String(error) };
}
