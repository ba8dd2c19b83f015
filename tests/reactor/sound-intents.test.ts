import { describe, expect, it } from 'vitest';
import { heartbeat } from '../../src/decision/intents.js';
import type { Finding } from '../../src/reactor/findings/finding.js';
import { soundFinding, soundIntents } from '../../src/reactor/sound-intents.js';

const good = {
  intent_type: 'alert',
  payload: { severity: 'high', summary: 'disk full', detail: { symptom: 'disk_pressure', subject: {} } },
};
const bad = { intent_type: 'alert', payload: { severity: 'severe', summary: 'disk full' } };

const finding: Finding = {
  tick_index: 1,
  timestamp_unix: 1,
  symptom_name: 'disk_pressure',
  severity: 'high',
  summary: 'disk full',
  intents: [good, bad],
  evidence: { used_pct: 99, dropped_intents: [{ intent_type: 'delegate', rule: 'role' }] },
  rca_text: '',
  subject: {},
  cooldown_until_tick: 6,
};

describe('the last look at the intents', () => {
  it('lets everything through that satisfies the schema, in its order', () => {
    const intents = [good, heartbeat(), good];
    expect(soundIntents(intents)).toEqual({ sound: intents, problems: [] });
  });

  it('leaves a bad one out, keeps its neighbours and says what was wrong where', () => {
    const { sound, problems } = soundIntents([good, bad, heartbeat()]);
    expect(sound).toEqual([good, heartbeat()]);
    expect(problems).toEqual(['an intent alert was left out: /payload/severity fails "enum" of its schema']);
  });

  it('names an intent of a type that is none of ours', () => {
    const { sound, problems } = soundIntents([{ intent_type: 'propose_action', payload: {} }]);
    expect(sound).toEqual([]);
    expect(problems.join()).toContain('propose_action');
  });

  it('never gives up an alert for what only readers look at', () => {
    const odd = { ...good, payload: { ...good.payload, detail: { symptom: 5, pending_action: 'soon' } } };
    expect(soundIntents([odd]).problems).toEqual([]);
  });

  it('lets no recover without evidence through', () => {
    const params = { reason: 'gpu_memory_leaked', evidence: {} };
    const recover = { intent_type: 'delegate', payload: { action_name: 'recover', params } };
    expect(soundIntents([recover]).sound).toEqual([]);
  });

  it('has the finding say what really went out', () => {
    expect(soundFinding(finding)).toEqual({
      ...finding,
      intents: [good],
      evidence: {
        used_pct: 99,
        dropped_intents: [
          { intent_type: 'delegate', rule: 'role' },
          { intent_type: 'alert', rule: 'schema' },
        ],
      },
    });
  });

  it('leaves a finding alone whose intents all went out', () => {
    const whole = { ...finding, intents: [good] };
    expect(soundFinding(whole)).toBe(whole);
  });
});
