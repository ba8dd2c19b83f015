import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../../src/foreign/config-field.js';
import { isObject, type Json } from '../../src/foreign/json.js';
import { agentFields } from '../../src/reactor/config/fields.js';
import { violations } from '../support/schemas.js';

const heartbeat = { intent_type: 'send_message', payload: { topic: 'heartbeat', body_md: 'alive' } };
const emit = {
  intent_envelope: { intents: [heartbeat] },
  session_id: 's',
  tick_index: 1,
  parse_warnings: [],
};
const recover = {
  intent_type: 'delegate',
  payload: { action_name: 'recover', params: { reason: 'gpu_memory_leaked', evidence: { gpus: 8 } } },
};

/** Every description-worthy node of a schema: its root, its definitions, their properties. */
function* nodes(schema: Json | undefined, path: string): Generator<[string, Json]> {
  if (!isObject(schema)) return;
  yield [path, schema];
  for (const group of ['properties', '$defs']) {
    const members = schema[group];
    if (!isObject(members)) continue;
    for (const [name, member] of Object.entries(members)) yield* nodes(member, `${path}/${name}`);
  }
}

describe('the schemas', () => {
  it.each(readdirSync('schemas'))('%s has a title, a description and a name that is its file', (name) => {
    const schema = JSON.parse(readFileSync(`schemas/${name}`, 'utf8'));
    expect(schema).toMatchObject({ $id: name, title: expect.any(String), description: expect.any(String) });
  });

  it.each(readdirSync('schemas'))('%s names a unit wherever a key says seconds or milliseconds', (name) => {
    const schema: Json = JSON.parse(readFileSync(`schemas/${name}`, 'utf8'));
    const timed = [...nodes(schema, '')].filter(([path]) => /_(unix|ms|s)$/.test(path));
    const without = timed.filter(
      ([, node]) => isObject(node) && !/\b(s|ms|Unix s|unix s)\b/.test(String(node['description'])),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('take the answers that the Coordinator takes', () => {
    expect(violations('emit', emit)).toEqual([]);
    expect(violations('intent', recover)).toEqual([]);
    expect(violations('intent', { ...heartbeat, extra: 1 })).toEqual([]);
  });

  it.each([
    ['an intent of another role', { intent_type: 'propose_action', payload: { action_name: 'x' } }],
    ['a type in capitals', { ...heartbeat, intent_type: 'SEND_MESSAGE' }],
    ['a payload that is null', { ...heartbeat, payload: null }],
    ['a payload that is a list', { ...heartbeat, payload: [] }],
    ['a message without a topic', { ...heartbeat, payload: { body_md: 'x' } }],
    ['a blank topic', { ...heartbeat, payload: { topic: ' ' } }],
    ['an unknown severity', { intent_type: 'alert', payload: { severity: 'critical', summary: 'x' } }],
    ['a padded severity', { intent_type: 'alert', payload: { severity: ' high ', summary: 'x' } }],
    ['an alert without a summary', { intent_type: 'alert', payload: { severity: 'high' } }],
    ['a recover without evidence', withParams({ reason: 'x' })],
    ['a recover with empty evidence', withParams({ reason: 'x', evidence: {} })],
    ['another action', { intent_type: 'delegate', payload: { ...recover.payload, action_name: 'report' } }],
    ['a prune of nothing', { intent_type: 'prune_branch', payload: { family: '', reason: 'x' } }],
    [
      'a scope of its own',
      { intent_type: 'prune_branch', payload: { family: 'a', reason: 'x', scope: 'all' } },
    ],
    ['a foreign state field', { intent_type: 'update_state', payload: { changes: { phase: 'x' } } }],
    ['no changes', { intent_type: 'update_state', payload: { changes: {} } }],
    ['an escalation without a hint', { intent_type: 'escalate_strategy_change', payload: { reason: 'x' } }],
  ])('refuse %s', (_what, intent) => {
    expect(violations('intent', intent)).not.toEqual([]);
    expect(violations('emit', { ...emit, intent_envelope: { intents: [heartbeat, intent] } })).not.toEqual(
      [],
    );
  });

  it.each([
    ['warnings as one text', { parse_warnings: 'x' }],
    ['a tick that is no number', { tick_index: '1' }],
    ['no envelope', { intent_envelope: undefined }],
  ])('refuse an answer with %s', (_what, change) => {
    expect(violations('emit', JSON.parse(JSON.stringify({ ...emit, ...change })))).not.toEqual([]);
  });
});

describe('the schema of the settings', () => {
  it('takes every default', () => {
    expect(violations('config', defaultsOf(agentFields()))).toEqual([]);
  });

  it.each([
    ['a name that is none', { cooldown_tick: 5 }],
    ['a number as text', { cooldown_ticks: '5' }],
    ['half a tick', { cooldown_ticks: 1.5 }],
    ['a limit below its bound', { tick_deadline_s: 0 }],
    ['null where it means nothing', { cooldown_ticks: null }],
  ])('refuses %s', (_what, settings) => {
    expect(violations('config', settings)).not.toEqual([]);
  });

  it('takes null where it has a meaning', () => {
    expect(violations('config', { llm_rca_enabled: null })).toEqual([]);
  });
});

function withParams(params: object) {
  return { intent_type: 'delegate', payload: { action_name: 'recover', params } };
}
