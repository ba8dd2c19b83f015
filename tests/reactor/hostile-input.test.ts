import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/foreign/json.js';
import { redactText } from '../../src/foreign/redact.js';
import { readOptionField } from '../../src/reactor/config/field-value.js';
import { agentFieldSet } from '../../src/reactor/config/fields.js';
import { layerConfig } from '../../src/reactor/config/layers.js';
import { decideTick } from '../../src/reactor/decide-tick.js';
import { emitText } from '../../src/reactor/emit.js';
import { readRequest } from '../../src/reactor/request/parse-request.js';
import { requestContext } from '../../src/reactor/request/request-context.js';
import type { Slots } from '../../src/reactor/store/slots.js';
import { recordedSnapshot } from '../../src/runtime/replay/parse-recording.js';
import { hostilePrompt, hostileRequest, hostileSlots, hostileSnapshot } from '../support/hostile.js';

const FIELDS = agentFieldSet();
const NOW = 1_772_442_000;
const validateEmit = emitValidator();

function emitValidator() {
  const ajv = new Ajv2020({ strict: false });
  for (const name of readdirSync('schemas'))
    ajv.addSchema(JSON.parse(readFileSync(`schemas/${name}`, 'utf8')));
  const { $id } = JSON.parse(readFileSync('schemas/emit.schema.json', 'utf8'));
  const validate = ajv.getSchema($id);
  if (validate === undefined) throw new Error('there is no schema of the answer');
  return validate;
}

interface Answered {
  readonly text: string;
  readonly failedRules: readonly string[];
}

/** One tick in memory, from the request to the text of the answer; undefined for a request that is refused. */
function answer(request: unknown, sources: JsonObject, slots: Slots): Answered | undefined {
  const reading = readRequest(request);
  if (!reading.ok) return undefined;
  const { options } = reading.request;
  const { config } = layerConfig(FIELDS, [
    {
      origin: 'options',
      values: options,
      read: (name, value) => {
        const field = FIELDS.find(name);
        return field === undefined ? 'unknown' : readOptionField(field, value);
      },
    },
  ]);
  const { context } = requestContext(reading.request, '/data/session', NOW);
  const decided = decideTick({
    context,
    snapshot: recordedSnapshot(sources),
    slots,
    config,
    silences: [],
    redact: redactText,
  });
  const emit = {
    intent_envelope: { intents: decided.decision.intents },
    session_id: reading.request.sessionId,
    tick_index: 1,
    parse_warnings: decided.warnings,
  };
  expect(JSON.stringify(decided.slots)).not.toContain('Infinity');
  for (const finding of decided.decision.findings) expect(allFinite(finding)).toBe(true);
  return { text: emitText(emit), failedRules: decided.classification.failures.map(({ rule }) => rule) };
}

function allFinite(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(allFinite);
}

function expectSound(answered: Answered | undefined): void {
  if (answered === undefined) return;
  const emit: unknown = JSON.parse(answered.text);
  expect(validateEmit(emit), JSON.stringify(validateEmit.errors)).toBe(true);
  expect(answered.text).not.toMatch(/\b(?:NaN|Infinity)\b(?=\s*[,\]}\n])/);
  expect(answered.failedRules).toEqual([]);
}

const plain = (prompt: string) => ({
  kind: 'coordinator_inbox',
  session_id: 's',
  raw_prompt: prompt,
  context: { now_unix: NOW },
  options: { session_dir: '/data/session' },
});

describe('whatever comes in, a sound answer goes out, and no rule fails', () => {
  it('for 7,000 prompts', () => {
    fc.assert(
      fc.property(hostilePrompt, (prompt) => expectSound(answer(plain(prompt), {}, {}))),
      { numRuns: 7000 },
    );
  }, 240_000);

  it('for 5,000 requests', () => {
    fc.assert(
      fc.property(hostileRequest, (request) => expectSound(answer(request, {}, {}))),
      { numRuns: 5000 },
    );
  }, 240_000);

  it('for 8,000 snapshots, each on a state of its own', () => {
    fc.assert(
      fc.property(hostileSnapshot, hostileSlots, (sources, slots) =>
        expectSound(answer(plain('=== Shared session state ===\ntick=7\ncrash_count=3'), sources, slots)),
      ),
      { numRuns: 8000 },
    );
  }, 240_000);
});
