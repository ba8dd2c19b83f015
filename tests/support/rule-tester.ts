import { describe, expect, it } from 'vitest';
import type { ConfigValue } from '../../src/foreign/config-field.js';
import type { JsonObject } from '../../src/foreign/json.js';
import {
  defaultSharedState,
  type InboxItem,
  type ReactorContext,
  type SharedState,
} from '../../src/reactor/context.js';
import { buildBusLists } from '../../src/signals/build-bus-lists.js';
import type { Rule, RuleFailure, RuleRun } from '../../src/signals/rule.js';
import { type Severity, type Symptom, symptomKey } from '../../src/signals/symptom.js';
import { emptySnapshot, type Snapshot } from '../../src/sources/snapshot.js';

/** A context in few words: everything else is that of a prompt which says nothing, at 10000 s. */
export type ContextSketch = Partial<Omit<ReactorContext, 'shared_state' | 'inbox'>> & {
  readonly shared_state?: Partial<SharedState>;
  readonly inbox?: readonly (Partial<Omit<InboxItem, 'payload'>> & { readonly payload?: object })[];
};

/** A snapshot in few words; slots may hold anything, as recordings may. */
export type SnapshotSketch = { readonly [slot in keyof Snapshot]?: unknown };

/** What one evaluation sees. */
export interface Sight {
  readonly context?: ContextSketch;
  readonly snapshot?: SnapshotSketch;
  readonly config?: Readonly<Record<string, ConfigValue>>;
  readonly failedRules?: readonly RuleFailure[];
  /** What the ladder says after this evaluation; default: everything that was reported is settled. */
  readonly isSettled?: (symptom: Symptom) => boolean;
}

/** What a symptom must look like; what is left out is not compared. */
export interface ExpectedSymptom {
  readonly name: string;
  readonly severity?: Severity;
  readonly subject?: Readonly<Record<string, string>>;
  readonly source?: Symptom['source'];
  /** The whole evidence. */
  readonly evidence?: JsonObject;
  /** Some keys of the evidence. */
  readonly evidenceWith?: JsonObject;
  /** Keys that the evidence must not have. */
  readonly evidenceWithout?: readonly string[];
  /** Texts that the summary must contain. */
  readonly summaryMentions?: readonly string[];
  /** Texts that the suggestion must contain. */
  readonly suggestionMentions?: readonly string[];
  readonly standing?: true;
}

/** One step of a sequence: what is seen, and what is reported, in the rule's own order. */
export interface Step extends Sight {
  readonly symptoms: readonly (ExpectedSymptom | string)[];
  readonly undecided?: readonly string[];
  /** The state slot after this step, compared key by key. */
  readonly stateWith?: JsonObject;
}

interface Entry {
  /** Why the rule must decide so; the name of the test. */
  readonly why: string;
  /** The state slot before the first evaluation. */
  readonly state?: JsonObject;
}

/** A rule must say nothing. */
export type ValidEntry = Entry &
  Sight & { readonly undecided?: readonly string[]; readonly stateWith?: JsonObject };

/** A rule must say exactly this. */
export type InvalidEntry = Entry & Step;

/** Several evaluations of one session; the state is carried along as the pipeline would. */
export type SequenceEntry = Entry & { readonly steps: readonly Step[]; readonly config?: Sight['config'] };

export interface RuleCases {
  readonly valid: readonly ValidEntry[];
  readonly invalid: readonly InvalidEntry[];
  readonly sequences?: readonly SequenceEntry[];
}

/**
 * Tests one rule on its own: each entry is a test named after its reason. Besides the expectation, every evaluation must be
 * pure, must leave its input alone, and may report only what the rule declares.
 */
export function testRule(rule: Rule, cases: RuleCases): void {
  describe(rule.name, () => {
    describe('stays silent', () => {
      it.each(named(cases.valid))('%s', (_why, entry) => {
        playSteps(rule, entry.state ?? {}, [{ ...entry, symptoms: [] }]);
      });
    });
    describe('reports', () => {
      it.each(named(cases.invalid))('%s', (_why, entry) => {
        expect(entry.symptoms, 'an invalid entry reports something').not.toEqual([]);
        playSteps(rule, entry.state ?? {}, [entry]);
      });
    });
    const { sequences = [] } = cases;
    if (sequences.length === 0) return;
    describe('over time', () => {
      it.each(named(sequences))('%s', (_why, entry) => {
        const steps = entry.steps.map((step) => ({ ...step, config: { ...entry.config, ...step.config } }));
        playSteps(rule, entry.state ?? {}, steps);
      });
    });
  });
}

/** The full context of a sketch. */
export function contextOf(sketch: ContextSketch = {}): ReactorContext {
  const { shared_state, inbox = [], ...rest } = sketch;
  return {
    session_id: 's1',
    session_dir: '/sessions/s1',
    tick_index: 0,
    now_unix: 10_000,
    phase: '',
    phase_budget: [],
    conversation_progress: null,
    ...rest,
    shared_state: { ...defaultSharedState(), ...shared_state },
    inbox: inbox.map(({ payload = {}, ...item }) => ({
      seq: 0,
      msg_id: '',
      from_agent: '',
      topic: '',
      ...item,
      payload: plainJson(payload),
    })),
  };
}

/** The full snapshot of a sketch: nothing was seen, the process list is known. */
export function snapshotOf(sketch: SnapshotSketch = {}): Snapshot {
  return { ...emptySnapshot(), local_processes_known: true, ...plainJson(sketch) };
}

/** What a JSON file would hold of a value. */
function plainJson(value: object) {
  return JSON.parse(JSON.stringify(value));
}

/** One evaluation of a rule on a sketch. */
export function runRule(rule: Rule, sight: Sight, state: JsonObject = {}): RuleRun {
  const context = contextOf(sight.context);
  const snapshot = snapshotOf(sight.snapshot);
  return rule.run({
    context,
    snapshot,
    bus: buildBusLists(context, snapshot),
    config: sight.config ?? {},
    rawState: state,
    failedRules: sight.failedRules ?? [],
  });
}

function named<T extends Entry>(entries: readonly T[]): [string, T][] {
  const reasons = entries.map((entry) => entry.why);
  expect(new Set(reasons).size, 'every reason stands once').toBe(reasons.length);
  return entries.map((entry) => [entry.why, entry]);
}

function playSteps(rule: Rule, initial: JsonObject, steps: readonly Step[]): void {
  let state = initial;
  for (const [index, step] of steps.entries()) {
    const at = steps.length === 1 ? '' : `step ${index}: `;
    const { isSettled = () => true, ...sight } = step;
    const frozen = deepFreeze(structuredClone(sight));
    const run = runRule(rule, frozen, deepFreeze(structuredClone(state)));
    const again = runRule(rule, frozen, state);
    expect(again.symptoms, `${at}the same input gives the same outcome`).toEqual(run.symptoms);
    for (const symptom of run.symptoms) expectDeclared(rule, symptom);
    for (const name of run.undecided) expect(Object.keys(rule.symptoms)).toContain(name);
    const wanted = step.symptoms.map((symptom) =>
      typeof symptom === 'string' ? { name: symptom } : symptom,
    );
    expect(
      run.symptoms.map((symptom) => symptom.name),
      `${at}names`,
    ).toEqual(wanted.map((symptom) => symptom.name));
    for (const [position, symptom] of run.symptoms.entries()) {
      const expected = wanted[position];
      if (expected) expectSymptom(symptom, expected, at);
    }
    if (step.undecided)
      expect([...run.undecided].sort(), `${at}undecided`).toEqual([...step.undecided].sort());
    const saved = run.finalState({ isSettled });
    state = saved === undefined ? state : JSON.parse(JSON.stringify(saved));
    if (step.stateWith) expect(state, `${at}state`).toMatchObject(step.stateWith);
  }
}

function expectSymptom(symptom: Symptom, expected: ExpectedSymptom, at: string): void {
  const { evidenceWith, evidenceWithout, summaryMentions, suggestionMentions, ...exact } = expected;
  for (const [key, value] of Object.entries(exact)) {
    expect(symptom[key as keyof Symptom], `${at}${symptom.name} ${key}`).toEqual(value);
  }
  expect(symptom.standing, `${at}${symptom.name} is said, not standing`).toBe(expected.standing);
  if (evidenceWith) {
    const picked = Object.fromEntries(Object.keys(evidenceWith).map((key) => [key, symptom.evidence[key]]));
    expect(picked, `${at}${symptom.name} evidence`).toEqual(evidenceWith);
  }
  for (const key of evidenceWithout ?? []) {
    expect(symptom.evidence, `${at}${symptom.name} evidence`).not.toHaveProperty([key]);
  }
  for (const part of summaryMentions ?? []) expect(symptom.summary).toContain(part);
  for (const part of suggestionMentions ?? []) expect(symptom.suggestion).toContain(part);
}

/** What holds for every symptom of every rule. */
function expectDeclared(rule: Rule, symptom: Symptom): void {
  const spec = rule.symptoms[symptom.name];
  expect(spec, `${symptom.name} is declared`).toBeDefined();
  expect(spec?.severities, `${symptom.name} may be ${symptom.severity}`).toContain(symptom.severity);
  expect(Object.keys(symptom.subject).sort(), `${symptom.name} subject keys`).toEqual(
    [...(spec?.subjectKeys ?? [])].sort(),
  );
  for (const value of Object.values(symptom.subject)) expect(typeof value).toBe('string');
  expect(symptom.summary.trim(), `${symptom.name} has a summary`).not.toBe('');
  expect(symptom.summary, `${symptom.name} summary is one line`).not.toMatch(/\n/);
  expect(symptomKey(symptom)).toMatch(/^[a-z_]+/);
  expect(JSON.parse(JSON.stringify(symptom.evidence)), `${symptom.name} evidence is plain JSON`).toEqual(
    withoutUndefined(symptom.evidence),
  );
}

function withoutUndefined(evidence: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(evidence).filter(([, value]) => value !== undefined));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
