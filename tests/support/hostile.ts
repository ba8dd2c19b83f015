import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Json, type JsonObject, objectOr } from '../../src/foreign/json.js';

const COMPLETE = readFileSync('tests/fixtures/reactor/prompt-complete.txt', 'utf8').split('\n');
const RICH: JsonObject = JSON.parse(readFileSync('tests/fixtures/reactor/snapshot-rich.json', 'utf8'));

/** Values that break code which trusts its input. */
const nasty: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    '',
    ' ',
    'nan',
    'x'.repeat(5000),
    '\ud800\u2028\u0000\u202e',
    '2026-03-02T09:14:55Z',
    '=== Inbox for robustness ===',
    'crash_count=99',
    -1,
    0,
    1e308,
    -1e308,
    5e-324,
    2 ** 53,
    1.5,
    [],
    {},
    [[[[]]]],
    { __proto__x: {} },
  ),
  fc.jsonValue({ maxDepth: 4 }),
);

function nested(depth: number): Json {
  let value: Json = 'deep';
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { k: value };
  return value;
}

/** Every place in a value that can be replaced, as a path. */
function paths(
  value: Json | undefined,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, index) => paths(item, [...path, index]))];
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => paths(item, [...path, key]))];
}

function replaced(value: Json | undefined, path: readonly (string | number)[], by: Json): Json {
  const [head, ...rest] = path;
  if (head === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (index === head ? replaced(item, rest, by) : item));
  if (typeof value !== 'object' || value === null) return by;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === head ? replaced(item, rest, by) : (item ?? null),
    ]),
  );
}

const PLACES = paths(RICH).filter((path) => path.length > 0);

/** A snapshot that was rich and whole, with up to ten places replaced by something nasty. */
export const hostileSnapshot: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom(...PLACES), fc.oneof(nasty, fc.constant(nested(300)))), { maxLength: 10 })
  .map((changes) => changes.reduce<Json>((value, [path, by]) => replaced(value, path, by), RICH))
  .map(objectOr);

const oddLine = fc.oneof(
  fc.constantFrom(
    '=== Phase ===',
    '=== Time budget ===',
    '=== Shared session state ===',
    '=== Phase budget telemetry ===',
    '=== Conversation progress ===',
    '=== Inbox for robustness (newest last) ===',
    '(no new messages)',
    'elapsed=1min  remaining=-5.5min  budget=0min  closing_phase=True',
    `tick=${'9'.repeat(40)}`,
    'tick=-5',
    'crash_count=12',
    'baseline_tput=1e999',
    "optimization_stack=['a'",
    'stop_reason=done',
    "  seq=1 from=coordinator topic=delegated_result payload={'kind': [], 'state': {}, 'task_id': nan}",
    `  seq=2 from=a topic=proposal payload={'action_name': 'x', 'params': ${'['.repeat(150)}${']'.repeat(150)}}`,
    "  seq=3 from=coordinator topic=observation kind='policy_denied' payload={'rule': {'a': 1}, 'kind': 'policy_denied'}",
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

/** A prompt as rendered, with lines dropped, doubled, swapped and put between. */
export const hostilePrompt: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.nat({ max: COMPLETE.length }), fc.constantFrom('drop', 'double', 'put'), oddLine), {
    maxLength: 12,
  })
  .map((edits) => {
    const lines = [...COMPLETE];
    for (const [at, kind, line] of edits) {
      if (kind === 'drop') lines.splice(at, 1);
      else lines.splice(at, 0, kind === 'put' ? line : (lines[at] ?? ''));
    }
    return lines.join('\n');
  });

/** A request with everything but the prompt's text in question. */
export const hostileRequest: fc.Arbitrary<JsonObject> = fc.record(
  {
    kind: fc.oneof(
      { weight: 9, arbitrary: fc.constant('coordinator_inbox') },
      { weight: 1, arbitrary: nasty },
    ),
    session_id: fc.oneof(
      { weight: 9, arbitrary: fc.string({ unit: 'binary' }) },
      { weight: 1, arbitrary: nasty },
    ),
    raw_prompt: fc.oneof({ weight: 9, arbitrary: hostilePrompt }, { weight: 1, arbitrary: nasty }),
    context: fc.oneof(fc.record({ tick_index: nasty, now_unix: nasty }, { requiredKeys: [] }), nasty),
    options: fc.oneof(
      fc.record({
        session_dir: fc.constant('/data/session'),
        cooldown_ticks: nasty,
        nodes: nasty,
        colour: nasty,
      }),
      nasty,
    ),
  },
  { requiredKeys: ['kind', 'session_id', 'raw_prompt'] },
);

/** Detector state as a broken disk or another version may leave it. */
export const hostileSlots: fc.Arbitrary<Record<string, JsonObject>> = fc.dictionary(
  fc.constantFrom(
    'action_ladder',
    'gpu_leak',
    'progress',
    'crash',
    'aiter_jit',
    'ray_pending',
    'preflight_model_gpu_fit',
    'preflight_amdahl',
    'decision_audit',
    'self_health',
    'gpu_health',
    'tracelens_cli_latch',
  ),
  fc.dictionary(
    fc.constantFrom(
      'last_emitted',
      'keys',
      'last_tick',
      'gain_history',
      'samples',
      'streaks',
      'failed',
      'fired',
      'x',
    ),
    nasty,
  ),
);
