import type { JsonObject } from '../../foreign/json.js';
import { Mt19937 } from '../../stats/mt19937.js';
import { sha256, uniform } from '../hash.js';
import type { Case } from './case.js';
import { FINDING_TEMPLATES } from './finding-templates.js';
import { CASCADES, CLASS_OF_SYMPTOM, DISTRACTORS } from './symptom-classes.js';

/** One case in so many holds nothing but placeholders. */
const INSUFFICIENT_EVERY = 12;
const MOST_CASCADES = 3;
const MOST_DISTRACTORS = 2;
const MOST_PLACEHOLDERS = 3;

/**
 * Makes cases in which the loudest symptom is not the root (spec 08 §21): a root of medium severity, one to three of its
 * cascades at high, up to two unrelated distractors, shuffled. Equal arguments give equal cases.
 *
 * @param createdAt UTC, for the records
 */
export function buildCases(count: number, seed: number, createdAt: string): Case[] {
  const roots = Object.keys(CASCADES);
  return Array.from({ length: count }, (_, index) => {
    const random = new Mt19937(Math.floor(uniform(`case|${seed}|${index}`) * 2 ** 48));
    const isInsufficient = index % INSUFFICIENT_EVERY === INSUFFICIENT_EVERY - 1;
    const root = roots[index % roots.length] ?? '';
    return isInsufficient
      ? insufficientCase(index, seed, createdAt, random)
      : rootedCase(root, index, seed, createdAt, random);
  });
}

function rootedCase(root: string, index: number, seed: number, createdAt: string, random: Mt19937): Case {
  const own = finding(root, 'medium', random);
  const cascades = random.shuffle([...(CASCADES[root] ?? [])]);
  const followers = cascades
    .slice(0, random.integer(1, Math.min(MOST_CASCADES, cascades.length)))
    .map((symptom) => finding(symptom, 'high', random));
  const wanted = CLASS_OF_SYMPTOM.get(root) ?? '';
  const others = random
    .shuffle(DISTRACTORS.filter((name) => name !== root))
    .slice(0, random.integer(0, MOST_DISTRACTORS));
  const noise = others.map((symptom) => finding(symptom, random.choice(['low', 'medium']), random));
  const findings = random.shuffle([own, ...followers, ...noise]);
  const evidence = own['evidence'];
  const keys = typeof evidence === 'object' && evidence !== null ? Object.keys(evidence) : [];
  return makeCase(`gen-${root}-${seed}-${index}`, findings, createdAt, {
    class: wanted,
    also_ok: [],
    must_cite: keys,
    insufficient: false,
  });
}

function insufficientCase(index: number, seed: number, createdAt: string, random: Mt19937): Case {
  const symptoms = random
    .shuffle(Object.keys(CASCADES))
    .slice(0, random.integer(1, MOST_PLACEHOLDERS))
    .sort();
  const findings = symptoms.map((symptom) => {
    const full = finding(symptom, 'high', random);
    const evidence = full['evidence'];
    const keys = typeof evidence === 'object' && evidence !== null ? Object.keys(evidence) : [];
    return { ...full, summary: 'n/a', evidence: Object.fromEntries(keys.map((key) => [key, null])) };
  });
  return makeCase(`gen-placeholder-${seed}-${index}`, findings, createdAt, {
    class: 'insufficient_evidence',
    also_ok: [],
    must_cite: [],
    insufficient: true,
  });
}

function finding(symptom: string, severity: string, random: Mt19937): JsonObject {
  const template = FINDING_TEMPLATES[symptom];
  const evidence = template?.evidence(random) ?? {};
  return { symptom, severity, summary: template?.summary(evidence) ?? symptom, evidence };
}

function makeCase(
  id: string,
  findings: readonly JsonObject[],
  createdAt: string,
  expected: Case['expected'],
): Case {
  const input = { findings, context: {} };
  const hash = sha256(JSON.stringify(input));
  return {
    case_id: id,
    prompt_id: 'rca',
    // Equal inputs share their group, whatever seed made them: without values, two of a kind are one.
    group_id: `gen-${hash.slice(0, 16)}`,
    segment: expected.class,
    weight: 1,
    input,
    expected,
    source: 'generated',
    labelled_by: 'builder',
    created_at: createdAt,
    sha256: hash,
  };
}
