import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/signals/registry.js';
import type { Explanation } from '../../src/signals/rule.js';
import type { LogRole } from '../../src/signals/shared/log-patterns.js';

const ROLES: readonly LogRole[] = ['root', 'confirmation', 'cascade', 'own'];
const LOG = 'log_error_pattern';

const specs = RULES.flatMap((rule) =>
  Object.entries(rule.symptoms).map(([name, spec]) => ({ rule, name, spec })),
);
const explanations = specs.flatMap(({ name, spec }) =>
  (spec.explains ?? []).map((explanation) => ({ name, explanation })),
);

/** A log pattern is one node per role; a name without role stands for all of them. */
function nodesOf(name: string): string[] {
  return name === LOG ? ROLES.map((role) => `${LOG}:${role}`) : [name];
}

function edges(): [string, string][] {
  return explanations.flatMap(({ name, explanation }) => {
    // Siblings have an order of their own, which the ladder keeps.
    if (explanation.amongSiblings === true) return [];
    const from = explanation.asRole ? [`${name}:${explanation.asRole}`] : nodesOf(name);
    return from.flatMap((a) => explanation.explains.flatMap(nodesOf).map((b): [string, string] => [a, b]));
  });
}

describe('the registry', () => {
  it('names every rule once, and every symptom once', () => {
    const rules = RULES.map(({ name }) => name);
    expect(new Set(rules).size).toBe(rules.length);
    const symptoms = specs.map(({ name }) => name);
    expect(symptoms.filter((name, index) => symptoms.indexOf(name) !== index)).toEqual([]);
  });

  it('gives every state slot to one rule', () => {
    const slots = RULES.flatMap(({ stateSlot }) => stateSlot ?? []);
    expect(slots.filter((slot, index) => slots.indexOf(slot) !== index)).toEqual([]);
  });

  it('says what each symptom means and what to do, in sentences', () => {
    for (const { name, spec } of specs) {
      expect(spec.meaning, name).toMatch(/^[A-Z`].*\.$/s);
      expect(spec.action, name).toMatch(/^[A-Z`].*\.$/s);
      expect(spec.severities, name).not.toEqual([]);
    }
  });

  it('documents every configuration field, and a field that two rules read is one field', () => {
    const fields = new Map<string, unknown>();
    for (const rule of RULES) {
      for (const [name, field] of Object.entries(rule.config)) {
        expect(field.doc, name).toMatch(/\.$/);
        expect(fields.get(name) ?? field, `${name} of ${rule.name}`).toEqual(field);
        fields.set(name, field);
      }
    }
  });

  it.each(RULES.map(({ name }) => [name]))('%s has a page and a test', (name) => {
    expect(existsSync(new URL(`../../docs/rules/${name}.md`, import.meta.url))).toBe(true);
    expect(existsSync(new URL(`./rules/${name}.test.ts`, import.meta.url))).toBe(true);
  });
});

describe('explanations', () => {
  it('name symptoms that exist, and roles only of log patterns', () => {
    const known = new Set([...specs.map(({ name }) => name), ...ROLES.map((role) => `${LOG}:${role}`)]);
    for (const { name, explanation } of explanations) {
      for (const explained of explanation.explains)
        expect(known, `explained by ${name}`).toContain(explained);
      if (explanation.asRole) expect(name).toBe(LOG);
    }
  });

  it('have no cycle, log patterns taken by role', () => {
    const next = new Map<string, string[]>();
    for (const [from, to] of edges()) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const visit = (node: string, path: readonly string[]): void => {
      expect(path, 'a cycle').not.toContain(node);
      if (done.has(node)) return;
      for (const following of next.get(node) ?? []) visit(following, [...path, node]);
      done.add(node);
    };
    for (const node of next.keys()) visit(node, []);
  });

  it('cover the whole table of spec 04 §13, and two rows more', () => {
    const rows = new Set(
      explanations.map(({ explanation }: { explanation: Explanation }) => explanation.row),
    );
    expect([...rows].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('among siblings are of one name', () => {
    const siblings = explanations.filter(({ explanation }) => explanation.amongSiblings);
    expect(siblings.map(({ name }) => name).sort()).toEqual(['geak_budget_starvation', 'gpu_contended']);
    for (const { name, explanation } of siblings) expect(explanation.explains).toEqual([name]);
  });
});
