import {
  type ConfigFields,
  type ConfigValue,
  type ConfigValues,
  pickFields,
} from '../foreign/config-field.js';
import type { JsonObject } from '../foreign/json.js';
import type { ReactorContext } from '../reactor/context.js';
import type { CollectorName, Snapshot } from '../sources/snapshot.js';
import type { BusLists } from './bus.js';
import type { Severity, Symptom } from './symptom.js';

/** S: state, reported as long as it holds. E: event, while new evidence is in the window. L: latched, once per cause. */
export type SymptomNature = 'state' | 'event' | 'latched';

/** What a symptom explains when both are present (spec 04 §13). */
export interface Explanation {
  /** Row of the table in spec 04 §13, above 28 one of ours (05 A.12.3 names a minimum); earlier rows win ties. */
  readonly row: number;
  /** Names of explained symptoms; a log pattern may be narrowed by role: `log_error_pattern:cascade`. */
  readonly explains: readonly string[];
  /** Only when the explainer is a log pattern of this role. */
  readonly asRole?: 'root' | 'cascade' | 'confirmation';
  /** Further condition; absent = always. */
  readonly when?: (explainer: Symptom, explained: Symptom) => boolean;
  /**
   * It explains its own name for other subjects that one cause has brought about: of those present one speaks for all, the
   * one that has spoken before, else the first key.
   */
  readonly amongSiblings?: boolean;
  /** What becomes of destructive intents of the explained symptom; absent = it has none. */
  readonly destructive?: 'kept' | 'dropped';
}

/** What a rule can say, for documentation, `rules explain` and the RCA vocabulary. */
export interface SymptomSpec {
  readonly severities: readonly Severity[];
  readonly subjectKeys: readonly string[];
  readonly nature: SymptomNature;
  /** What it means, one sentence. */
  readonly meaning: string;
  /** What to do, one or two sentences. */
  readonly action: string;
  /** Collectors without whose answer this symptom is undecided; absent = those of the rule. */
  readonly needs?: readonly CollectorName[];
  readonly explains?: readonly Explanation[];
}

/** A rule that threw in this evaluation; it contributed nothing (spec 03 G-1). */
export interface RuleFailure {
  readonly rule: string;
  /** Name of the error's class. */
  readonly errorClass: string;
  readonly message: string;
}

export interface RuleInput<F extends ConfigFields, S> {
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  /** The bus rows of events table and inbox as one list, counted once (spec 03 G-12). */
  readonly bus: BusLists;
  readonly config: ConfigValues<F>;
  readonly state: S;
  /** Rules before this one that failed in this evaluation. */
  readonly failedRules: readonly RuleFailure[];
}

export interface RuleOutcome<S> {
  readonly symptoms: readonly Symptom[];
  /** The new state; absent = unchanged. */
  readonly state?: S;
  /** Names of symptoms that could not be judged: neither present nor absent (spec 05 A.12.1). */
  readonly undecided?: readonly string[];
}

/** What the ladder tells a latching rule after its decision (spec 05 A.12.2 step 11, 03 G-15). */
export interface Settlement {
  /**
   * True when the symptom's alert went out in this evaluation, so that the latch may close; a destructive intent that is
   * still held back follows through the standing symptom.
   */
  isSettled(symptom: Symptom): boolean;
}

export interface RuleDefinition<F extends ConfigFields, S extends JsonObject> {
  readonly name: string;
  /** Configuration slot; rules may share one (spec 03 §2.1). */
  readonly configSlot: string;
  readonly symptoms: Readonly<Record<string, SymptomSpec>>;
  /** Agent configuration fields that it reads, by wire name. */
  readonly config: F;
  /** Slot of the detector state, and the parser that makes the typed state of whatever is stored there. */
  readonly state?: { readonly slot: string; parse(raw: JsonObject): S };
  /** Collectors without whose answer its symptoms are undecided. */
  readonly needs: readonly CollectorName[];
  /** Pure: the same input gives the same outcome. */
  evaluate(input: RuleInput<F, S>): RuleOutcome<S>;
  /** Latching rules only: the state to save once the ladder has decided; the given one = nothing to add. */
  settle?(state: S, outcome: RuleOutcome<S>, settlement: Settlement, input: RuleInput<F, S>): S;
}

/** A rule as the registry holds it: configuration and state are picked and parsed on entry. */
export interface Rule
  extends Omit<RuleDefinition<ConfigFields, JsonObject>, 'evaluate' | 'settle' | 'state'> {
  readonly stateSlot: string | undefined;
  run(input: RunInput): RuleRun;
}

export interface RunInput {
  readonly context: ReactorContext;
  readonly snapshot: Snapshot;
  readonly bus: BusLists;
  readonly config: Readonly<Record<string, ConfigValue | undefined>>;
  /** The slot as stored; `{}` without one. */
  readonly rawState: JsonObject;
  /** Rules before this one that failed in this evaluation; absent = none. */
  readonly failedRules?: readonly RuleFailure[];
}

export interface RuleRun {
  readonly symptoms: readonly Symptom[];
  readonly undecided: readonly string[];
  /** The slot to save, given the ladder's word; undefined = leave it as it is. */
  finalState(settlement: Settlement): JsonObject | undefined;
}

/** Makes a registry entry of a typed definition. */
export function defineRule<const F extends ConfigFields, S extends JsonObject = JsonObject>(
  definition: RuleDefinition<F, S>,
): Rule {
  // Name by name: there are dozens of rules, and what is left of an object is a dear thing to ask for.
  const {
    name,
    configSlot,
    symptoms,
    config: fields,
    needs,
    evaluate,
    settle,
    state: stateSpec,
  } = definition;
  return {
    name,
    configSlot,
    symptoms,
    config: fields,
    needs,
    stateSlot: stateSpec?.slot,
    run({ context, snapshot, bus, config, rawState, failedRules = [] }) {
      const before = stateSpec ? stateSpec.parse(rawState) : emptyState<S>();
      const picked = pickFields(fields, config);
      const input = { context, snapshot, bus, config: picked, state: before, failedRules };
      const outcome = evaluate(input);
      return {
        symptoms: outcome.symptoms,
        undecided: outcome.undecided ?? [],
        finalState: (settlement) => {
          const after = settle ? settle(outcome.state ?? before, outcome, settlement, input) : outcome.state;
          return after === before ? undefined : after;
        },
      };
    },
  };
}

function emptyState<S extends JsonObject>(): S {
  return {} as S;
}
