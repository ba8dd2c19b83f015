import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import type { ActionOp, ActionSpec, Catalogue, Config, KnobValue } from '../types.js';

/** A catalogue, or everything that is wrong with it. */
export type ReadCatalogue =
  | { readonly ok: true; readonly catalogue: Catalogue }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Longest catalogue file that is read. */
export const MAX_CATALOGUE_BYTES = 1024 * 1024;
const MAX_ENTRIES = 1000;
const OPS: readonly ActionOp[] = ['set', 'add', 'multiply'];
const ACTION_KEYS = new Set([
  'action_id',
  'targets',
  'knob',
  'op',
  'value',
  'min',
  'max',
  'round_decimals',
  'cost',
  'description',
]);

/** The boundary parser of a catalogue file (06 F.8): unknown keys and knobs, duplicates and wrong types are named. */
export function parseCatalogue(source: string): ReadCatalogue {
  const json = parseJson(source);
  if (!json.ok) return { ok: false, problems: [`not valid JSON: ${json.message}`] };
  const root = json.value;
  if (!isObject(root)) return { ok: false, problems: ['expected an object with config and actions'] };
  const problems: string[] = [];
  for (const key of Object.keys(root)) {
    if (key !== 'config' && key !== 'actions') problems.push(`unknown key ${JSON.stringify(key)}`);
  }
  const config = readConfig(root['config'], problems);
  const actions = readActions(root['actions'], config, problems);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, catalogue: { config, actions } };
}

function readConfig(value: unknown, problems: string[]): Config {
  if (!isObject(value) || Object.keys(value).length === 0) {
    problems.push('config: expected an object with at least one knob');
    return {};
  }
  const knobs: [string, KnobValue][] = [];
  for (const [name, knob] of Object.entries(value).slice(0, MAX_ENTRIES)) {
    if (isKnobValue(knob)) knobs.push([name, knob]);
    else problems.push(`config.${name}: expected a number, true, false or text`);
  }
  return Object.fromEntries(knobs);
}

function readActions(value: unknown, config: Config, problems: string[]): ActionSpec[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTRIES) {
    problems.push(`actions: expected a list of 1 to ${MAX_ENTRIES} actions`);
    return [];
  }
  const seen = new Set<string>();
  return value.flatMap((item: unknown, i) => {
    const where = `actions[${i}]`;
    if (!isObject(item)) {
      problems.push(`${where}: expected an object`);
      return [];
    }
    const before = problems.length;
    const action = readAction(item, config, (field, reason) => problems.push(`${where}.${field}: ${reason}`));
    if (seen.has(action.action_id)) problems.push(`${where}.action_id: ${action.action_id} occurs twice`);
    seen.add(action.action_id);
    return problems.length === before ? [action] : [];
  });
}

type Report = (field: string, reason: string) => void;

function readAction(item: JsonObject, config: Config, report: Report): ActionSpec {
  for (const key of Object.keys(item)) if (!ACTION_KEYS.has(key)) report(key, 'unknown key');
  const knob = text(item, 'knob', report);
  const current = config[knob];
  if (knob !== '' && current === undefined) report('knob', `config has no knob ${knob}`);
  const op = OPS.find((known) => known === item['op']);
  if (op === undefined) report('op', `expected one of ${OPS.join(', ')}`);
  return {
    action_id: text(item, 'action_id', report),
    targets: texts(item, 'targets', report),
    knob,
    op: op ?? 'set',
    value: knobValue(item, op, current, report),
    ...numbers(item, current, report),
    description: text(item, 'description', report),
  };
}

/** The value has the type of its knob; add and multiply need numbers. */
function knobValue(
  item: JsonObject,
  op: ActionOp | undefined,
  current: KnobValue | undefined,
  report: Report,
): KnobValue {
  const value = item['value'];
  if (!isKnobValue(value)) {
    report('value', 'expected a number, true, false or text');
    return 0;
  }
  if (op !== undefined && op !== 'set' && typeof value !== 'number') report('value', `${op} needs a number`);
  if (current !== undefined && typeof value !== typeof current) {
    report('value', `the knob holds a ${typeof current}, this is a ${typeof value}`);
  }
  return value;
}

type Bounds = Pick<ActionSpec, 'min' | 'max' | 'round_decimals' | 'cost'>;

function numbers(item: JsonObject, current: KnobValue | undefined, report: Report): Bounds {
  const read = (field: keyof Bounds, valid: (n: number) => boolean, expected: string): Bounds => {
    const value = item[field];
    if (value === undefined) return {};
    if (typeof value === 'number' && Number.isFinite(value) && valid(value)) return { [field]: value };
    report(field, `expected ${expected}`);
    return {};
  };
  const bounds = {
    ...read('min', () => true, 'a number'),
    ...read('max', () => true, 'a number'),
    ...read('round_decimals', (n) => Number.isInteger(n) && n >= 0 && n <= 12, 'a whole number from 0 to 12'),
    ...read('cost', (n) => n > 0, 'a number above 0'),
  };
  if ((bounds.min ?? Number.NEGATIVE_INFINITY) > (bounds.max ?? Number.POSITIVE_INFINITY)) {
    report('min', 'above max');
  }
  const clamps = bounds.min !== undefined || bounds.max !== undefined || bounds.round_decimals !== undefined;
  if (clamps && current !== undefined && typeof current !== 'number') {
    report('knob', 'min, max and round_decimals need a knob that holds a number');
  }
  return bounds;
}

function text(item: JsonObject, field: string, report: Report): string {
  const value = item[field];
  if (typeof value === 'string' && value.trim() !== '') return value;
  report(field, 'expected a text that is not empty');
  return '';
}

function texts(item: JsonObject, field: string, report: Report): string[] {
  const value = item[field];
  const valid = Array.isArray(value) && value.length > 0 && value.length <= MAX_ENTRIES;
  const items: unknown[] = valid ? value : [];
  const read = items.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
  if (!valid || read.length !== items.length) report(field, 'expected a list of texts, at least one');
  return read;
}

function isKnobValue(value: unknown): value is KnobValue {
  return (
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}
