import { describe, expect, it } from 'vitest';
import { effectiveTick } from '../../../src/decision/ladder/tick.js';
import { brief, decideOn, REFERENCE, Session, symptom } from './ladder-run.js';

/** Worked examples of spec 05 A.11: one symptom at tick 7 under the reference's policy. */
describe('tiers and payloads', () => {
  const at7 = (s: ReturnType<typeof symptom>) => decideOn({}, [s], 7, { config: REFERENCE }).intents;

  it('tells a low symptom as an observation', () => {
    expect(at7(symptom('x', 'low'))).toEqual([
      {
        intent_type: 'send_message',
        payload: {
          topic: 'observation',
          body_md: 'x: sum',
          detail: { symptom: 'x', severity: 'low', subject: {}, source: 'local', evidence: {} },
        },
      },
    ]);
  });

  it('carries the suggestion of a medium symptom in the detail', () => {
    const intents = at7(symptom('x', 'medium', { suggestion: 'do' }));
    expect(intents).toEqual([
      {
        intent_type: 'alert',
        payload: {
          severity: 'medium',
          summary: 'sum',
          detail: {
            symptom: 'x',
            severity: 'medium',
            subject: {},
            source: 'local',
            evidence: {},
            suggestion: 'do',
          },
        },
      },
    ]);
    expect(Object.keys(intents[0]?.payload['detail'] ?? {})).toEqual([
      'symptom',
      'severity',
      'subject',
      'source',
      'evidence',
      'suggestion',
    ]);
  });

  it('asks for a recover at a leak', () => {
    const [, delegate] = at7(symptom('gpu_memory_leaked', 'high', { evidence: { a: 1 } }));
    expect(delegate).toEqual({
      intent_type: 'delegate',
      payload: {
        action_name: 'recover',
        params: { reason: 'gpu_memory_leaked', force_gpu_cleanup: true, evidence: { a: 1 } },
        idempotency_key: 'recover-gpu-leak-tick-7',
      },
    });
    expect(Object.keys(delegate?.payload ?? {})).toEqual(['action_name', 'params', 'idempotency_key']);
  });

  it('sends no recover that the host would deny for want of evidence', () => {
    const decision = decideOn({}, [symptom('gpu_memory_leaked', 'high')], 7, { config: REFERENCE });
    expect(brief(decision)).toEqual(['alert high gpu_memory_leaked']);
    expect(decision.findings[0]?.evidence).toEqual({
      dropped_intents: [{ intent_type: 'delegate', rule: 'delegate_action_evidence' }],
    });
  });

  it.each([
    [{ subject: { url: 'http://127.0.0.1:8888/health' }, evidence: { a: 1 } }, 'fbe8ae04'],
    [{ evidence: { url: 'http://127.0.0.1:8888/health' } }, 'fbe8ae04'],
    [{ subject: { url: '' }, evidence: { a: 1 } }, '50d8b4a9'],
    [{ evidence: { a: 1, url: 5 } }, '50d8b4a9'],
  ])('names the target of a recover: %j', (parts, hash) => {
    const [, delegate] = at7(symptom('local_server_unreachable', 'high', parts));
    expect(delegate?.payload['idempotency_key']).toBe(`recover-server-unreachable-tick-7-${hash}`);
  });

  it.each([
    ['same_payload_loop', { subject: { family: 'a' }, evidence: { family: 'b' } }, ['prune a']],
    ['same_payload_loop', { subject: { family: ' ' }, evidence: { family: 'b' } }, ['prune b']],
    ['repeated_failure', { evidence: { family: ' sweep ' } }, ['prune sweep']],
    ['repeated_failure', {}, []],
    ['repeated_failure', { evidence: { family: 7 } }, []],
    ['geak_budget_starvation', { subject: { family: 'zzz' } }, ['prune kernel_opt']],
    ['kernel_opt_no_progress', {}, ['prune kernel_opt']],
    ['amdahl_kernel_ceiling_low', {}, ['prune kernel_opt']],
    ['ray_head_dead', { evidence: { family: 'x', url: 'y' } }, []],
    ['recover_unsuccessful', {}, []],
  ])('prunes for %s %j', (name, parts, extra) => {
    const decision = decideOn({}, [symptom(name, 'high', parts)], 7, { config: REFERENCE });
    expect(brief(decision)).toEqual([`alert high ${name}`, ...extra]);
  });

  it.each(['gpu_memory_leaked', 'local_server_unreachable', 'repeated_failure', 'geak_budget_starvation'])(
    'only alerts at medium: %s',
    (name) => {
      const decision = decideOn({}, [symptom(name, 'medium', { evidence: { family: 'f' } })], 7, {
        config: REFERENCE,
      });
      expect(brief(decision)).toEqual([`alert medium ${name}`]);
    },
  );

  it('says that it is alive when there is nothing to say', () => {
    const decision = decideOn({}, [], 7);
    expect(brief(decision)).toEqual(['heartbeat']);
    expect(decision.intents[0]?.payload['body_md']).toMatch(/robustness/);
    expect(decision.findings).toEqual([]);
  });

  it('sums a symptom up by its name when it has no summary', () => {
    expect(at7(symptom('x', 'high', { summary: '' }))[0]?.payload['summary']).toBe('x');
    expect(
      at7(symptom('same_payload_loop', 'high', { summary: ' ', subject: { family: 'f' } }))[1]?.payload,
    ).toEqual({
      family: 'f',
      reason: 'same_payload_loop',
    });
  });

  it('writes one finding per emitted symptom, keys in order', () => {
    const { findings, intents } = decideOn({}, [symptom('a', 'high')], 4, { nowUnix: 1, config: REFERENCE });
    expect(findings).toEqual([
      {
        tick_index: 4,
        timestamp_unix: 1,
        symptom_name: 'a',
        severity: 'high',
        summary: 'sum',
        intents,
        evidence: {},
        rca_text: '',
        subject: {},
        cooldown_until_tick: 9,
      },
    ]);
    expect(Object.keys(findings[0] ?? {}).slice(0, 8)).toEqual([
      'tick_index',
      'timestamp_unix',
      'symptom_name',
      'severity',
      'summary',
      'intents',
      'evidence',
      'rca_text',
    ]);
  });
});

describe('cooldown under the reference policy', () => {
  const emits = (config: object, ticks: readonly number[]): number[] => {
    const session = new Session({ config: { ...REFERENCE, ...config } });
    return ticks.flatMap((tick, at) =>
      session.at(tick, [symptom('x', 'medium')]).findings.length > 0 ? [at] : [],
    );
  };

  it('emits at 10, 15 and 20', () => {
    expect(emits({}, [10, 11, 14, 15, 16, 20])).toEqual([0, 3, 5]);
  });

  it.each([
    [0, [1, 1, 2], [0, 1, 2]],
    [1, [1, 1, 2], [0, 2]],
    [-1, [1, 1, 2], [0, 1, 2]],
    [0, [5, 4, 3], [0]],
    [-1, [5, 4, 3], [0, 1, 2]],
  ])('takes a cooldown of %i at ticks %j', (cooldown, ticks, expected) => {
    expect(emits({ cooldown_ticks: cooldown }, ticks)).toEqual(expected);
  });

  it('mutes everything after a step back, as the reference does', () => {
    expect(emits({}, [20, 3, 2, 7])).toEqual([0]);
  });

  it('counts subjects apart, and sends no heartbeat beside a fresh symptom', () => {
    const session = new Session({ config: REFERENCE });
    session.at(1, [symptom('x', 'medium', { subject: { a: '1' } })]);
    const both = ['1', '2'].map((a) => symptom('x', 'medium', { subject: { a } }));
    const decision = session.at(2, both);
    expect(decision.findings.map(({ subject }) => subject)).toEqual([{ a: '2' }]);
    expect(brief(decision)).toEqual(['alert medium x']);
  });

  it('mutes an escalation, as the reference does', () => {
    const session = new Session({ config: REFERENCE });
    session.at(1, [symptom('x', 'medium')]);
    expect(brief(session.at(2, [symptom('x', 'high')]))).toEqual(['heartbeat']);
    expect(brief(session.at(6, [symptom('x', 'high')]))).toEqual(['alert high x']);
  });

  it('stores keys joined by U+001F', () => {
    const session = new Session();
    session.at(1, [
      symptom('x', 'medium', { subject: { b: '2', a: '1' } }),
      symptom('x', 'medium', { subject: { a: '2' } }),
    ]);
    expect(JSON.stringify(session.slot['last_emitted'])).toBe('{"x\\u001fa=1\\u001fb=2":1,"x\\u001fa=2":1}');
  });

  it('keeps a separator inside a subject from breaking the key', () => {
    const session = new Session();
    const odd = symptom('x', 'medium', { subject: { a: '1\u001fb=2' } });
    expect(brief(session.at(1, [odd]))).toEqual(['alert medium x']);
    expect(brief(session.at(2, [odd]))).toEqual(['heartbeat']);
  });

  it('reads an old file: numbers as text, fractions cut, the rest dropped', () => {
    const slot = { last_emitted: { 'a\u001fb=1': 3, z: 'x', q: null, r: 2.9, t: '4' } };
    const names = [
      symptom('a', 'low', { subject: { b: '1' } }),
      symptom('z', 'low'),
      symptom('r', 'low'),
      symptom('t', 'low'),
    ];
    expect(brief(decideOn(slot, names, 5, { config: REFERENCE }))).toEqual(['observation z']);
    expect(brief(decideOn(slot, names, 7, { config: REFERENCE }))).toEqual([
      'observation z',
      'observation r',
    ]);
  });
});

describe('effective tick', () => {
  const persisted = { tick_counter_persisted: true };

  it('is the prompt tick, else counts on, else the number in the process', () => {
    expect(effectiveTick(9, { last_tick: 3 }, persisted)).toBe(9);
    expect(effectiveTick(0, { last_tick: 3 }, persisted)).toBe(4);
    expect(effectiveTick(0, {}, persisted)).toBe(1);
    expect(effectiveTick(0, { last_tick: 'x' }, persisted)).toBe(1);
    expect(effectiveTick(-2, { last_tick: 3 }, { tick_counter_persisted: false })).toBe(1);
    expect(effectiveTick(0, { last_tick: 3 }, { tick_counter_persisted: false }, 6)).toBe(6);
  });
});
