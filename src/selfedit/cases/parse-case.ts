import {
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectOr,
  objectsOf,
  text,
} from '../../foreign/json.js';
import { sha256 } from '../hash.js';
import type { Case } from './case.js';

/** The case, or what is wrong with it. */
export type CaseReading =
  | { readonly ok: true; readonly value: Case }
  | { readonly ok: false; readonly problem: string };

const ID = /^[\w.:-]{1,128}$/;
const MAX_FINDINGS = 50;
const SOURCES = ['generated', 'recorded', 'human'] as const;

/** Reads one case (spec 08 §21); the hash is computed, and compared where one is given. `split` is never read. */
export function parseCase(raw: unknown, promptId: string, classes: ReadonlySet<string>): CaseReading {
  if (!isObject(raw)) return bad('a case must be an object');
  const id = text(raw['case_id']);
  if (id === undefined || !ID.test(id)) return bad('case_id must be 1 to 128 letters, digits and ._:-');
  const group = text(raw['group_id']) ?? id;
  if (!ID.test(group)) return bad(`${id}: group_id must be 1 to 128 letters, digits and ._:-`);
  const owner = text(raw['prompt_id']) ?? promptId;
  if (owner !== promptId) return bad(`${id}: it belongs to the prompt ${owner}, not ${promptId}`);

  const input = objectOr(raw['input']);
  const findings = objectsOf(input['findings']);
  if (findings.length === 0 || findings.length > MAX_FINDINGS) {
    return bad(`${id}: input.findings must hold 1 to ${MAX_FINDINGS} objects`);
  }
  const expected = objectOr(raw['expected']);
  const wanted = text(expected['class']);
  if (wanted === undefined || (classes.size > 0 && !classes.has(wanted))) {
    return bad(
      `${id}: expected.class is ${JSON.stringify(expected['class'] ?? null)}, which is no known class`,
    );
  }
  const actionId = text(expected['action_id']);
  const body = { findings, context: objectOr(input['context']) };
  const hash = sha256(JSON.stringify(body));
  const given = text(raw['sha256']);
  if (given !== undefined && given !== hash) return bad(`${id}: the input was changed, its hash differs`);
  const weight = raw['weight'];
  const source = SOURCES.find((one) => one === raw['source']) ?? 'recorded';
  return {
    ok: true,
    value: {
      case_id: id,
      prompt_id: promptId,
      group_id: group,
      segment: text(raw['segment']) ?? wanted,
      weight: typeof weight === 'number' && weight > 0 ? weight : 1,
      input: body,
      expected: {
        class: wanted,
        also_ok: strings(expected['also_ok']),
        ...(actionId !== undefined && { action_id: actionId }),
        must_cite: strings(expected['must_cite']),
        insufficient: expected['insufficient'] === true || wanted === 'insufficient_evidence',
      },
      source,
      labelled_by: text(raw['labelled_by']) ?? 'unknown',
      created_at: text(raw['created_at']) ?? '',
      sha256: hash,
    },
  };
}

function strings(value: Json | undefined): string[] {
  return listOr(value).filter((item): item is string => typeof item === 'string');
}

function bad(problem: string): CaseReading {
  return { ok: false, problem };
}

/** Every string, number and evidence key of the inputs, for the leak lint. */
export function inputValues(cases: readonly Case[]): {
  readonly values: Set<string>;
  readonly keys: Set<string>;
} {
  const values = new Set<string>();
  const keys = new Set<string>();
  const walk = (value: Json | undefined): void => {
    if (typeof value === 'number') values.add(String(value));
    else if (typeof value === 'string') values.add(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value)) walkObject(value);
  };
  const walkObject = (object: JsonObject): void => {
    for (const [key, item] of Object.entries(object)) {
      keys.add(key);
      walk(item);
    }
  };
  for (const { input } of cases) {
    input.findings.forEach(walkObject);
    walkObject(input.context);
  }
  return { values, keys };
}
