import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/signals/registry.js';
import type { SymptomSpec } from '../../../src/signals/rule.js';
import { LOG_PATTERNS } from '../../../src/signals/shared/log-patterns.js';
import { type Severity, symptomKey } from '../../../src/signals/symptom.js';
import { brief, details, type Overrides, Session, spec, symptom } from './ladder-run.js';

const SPECS: ReadonlyMap<string, SymptomSpec> = new Map(
  RULES.flatMap((rule) => Object.entries(rule.symptoms)),
);
const declared: Overrides = { specOf: (name) => SPECS.get(name) };

const log = (number: number, severity: Severity) => {
  const pattern = LOG_PATTERNS.find((candidate) => candidate.number === number)?.id ?? '';
  return symptom('log_error_pattern', severity, { subject: { pattern } });
};
const url = 'http://127.0.0.1:8888/health';
const deadServer = symptom('local_server_unreachable', 'high', { subject: { url }, evidence: { url } });
const stalled = symptom('agent_stall', 'medium', { subject: { agent: 'orchestration' } });
const leak = symptom('gpu_memory_leaked', 'high', { evidence: { gpus: 1 } });
const engineDied = log(38, 'high');

describe('one cause, one alert', () => {
  it('lists what a dead engine brings about, and recovers once the server is confirmed dead', () => {
    const session = new Session(declared);
    const first = session.at(1, [deadServer, engineDied, log(26, 'medium'), stalled]);
    expect(brief(first)).toEqual(['alert high log_error_pattern']);
    expect(details(first)[0]).toMatchObject({
      policy: ['destructive_confirmations', 'inhibition_enabled'],
      pending_action: {
        intent_type: 'delegate',
        action_name: 'recover',
        held_by: 'destructive_confirmations',
      },
      explains: [
        { symptom: 'local_server_unreachable', severity: 'high', subject: { url } },
        { symptom: 'log_error_pattern', severity: 'medium', subject: { pattern: 'RuntimeError' } },
        { symptom: 'agent_stall', severity: 'medium', subject: { agent: 'orchestration' } },
      ],
    });
    expect(first.findings).toHaveLength(1);

    const second = session.at(2, [deadServer, stalled]);
    expect(brief(second)).toEqual([
      'alert high local_server_unreachable',
      expect.stringMatching(/^recover recover-server-unreachable-tick-2-/),
    ]);
    expect(details(second)[0]?.['explained_by']).toBe(symptomKey(engineDied));
    expect(second.presence.muted).toEqual({ [symptomKey(stalled)]: 'inhibition_enabled' });
    expect(brief(session.at(3, [deadServer, stalled]))).toEqual(['heartbeat']);
  });

  it('lets an event explain for ten minutes and no longer', () => {
    const session = new Session(declared);
    session.at(1, [engineDied, stalled]);
    expect(brief(session.at(11, [stalled]))).toEqual(['heartbeat']);
    expect(brief(session.at(12, [stalled]))).toEqual(['alert medium agent_stall']);
  });

  it('remembers only events that were emitted', () => {
    const session = new Session(declared);
    const silence = {
      id: '1',
      symptom: 'log_error_pattern',
      subject: {},
      created_unix: 0,
      expires_unix: 2e9,
      comment: '',
    };
    session.at(1, [engineDied], { silences: [silence] });
    expect(brief(session.at(2, [stalled]))).toEqual(['alert medium agent_stall']);
  });

  it('tells a dead Ray head and its starving tasks in one alert', () => {
    const session = new Session(declared);
    const decision = session.at(1, [
      symptom('ray_head_dead', 'high'),
      symptom('ray_pending_starvation', 'high'),
    ]);
    expect(brief(decision)).toEqual(['alert high ray_head_dead']);
  });

  it('does not let a weaker symptom explain a stronger one', () => {
    const session = new Session(declared);
    const streak = symptom('critic_unavailable_streak', 'high');
    const weak = session.at(1, [streak, symptom('gateway_auth_outage', 'medium')]);
    expect(brief(weak)).toEqual(['alert high critic_unavailable_streak', 'alert medium gateway_auth_outage']);
    expect(brief(session.at(2, [streak, symptom('gateway_auth_outage', 'high')]))).toEqual([
      'alert high gateway_auth_outage',
    ]);
  });

  it('leaves neighbours alone', () => {
    const session = new Session(declared);
    const criticStalled = symptom('agent_stall', 'medium', { subject: { agent: 'critic' } });
    const decision = session.at(1, [engineDied, criticStalled, symptom('disk_pressure', 'high')]);
    expect(decision.findings).toHaveLength(3);
  });

  it('is off on demand', () => {
    const session = new Session({ ...declared, config: { inhibition_enabled: false } });
    expect(session.at(1, [engineDied, stalled]).findings).toHaveLength(2);
  });

  it('sends the recover of a kept symptom with its root, merged where the root has one itself', () => {
    const session = new Session(declared);
    expect(brief(session.at(1, [leak, deadServer]))).toEqual(['alert high gpu_memory_leaked']);
    const second = session.at(2, [leak, deadServer]);
    expect(brief(second)).toEqual(['alert high gpu_memory_leaked', 'recover recover-gpu-leak-tick-2']);
    expect(second.intents[1]?.payload['params']).toMatchObject({
      also: [{ reason: 'local_server_unreachable' }],
    });
    expect(second.presence.muted).toEqual({});
  });

  it('releases a muted root for the recover of what it explains', () => {
    const session = new Session(declared);
    const killed = symptom('host_oom_kill', 'high', { subject: { process: 'srv' } });
    session.at(1, [killed]);
    const second = session.at(2, [killed, deadServer]);
    expect(details(second)[0]).toMatchObject({
      symptom: 'host_oom_kill',
      pending_action: { confirmations: 1 },
    });
    expect(brief(session.at(3, [killed, deadServer]))).toEqual([
      'alert high host_oom_kill',
      expect.stringMatching(/^recover recover-server-unreachable-tick-3-/),
    ]);
    expect(brief(session.at(4, [killed, deadServer]))).toEqual(['heartbeat']);
  });

  it('drops the destructive intent where the cause lies elsewhere, and catches up when it is gone', () => {
    const session = new Session(declared);
    const failed = symptom('recover_unsuccessful', 'high');
    for (const tick of [1, 2, 3]) {
      expect(brief(session.at(tick, [leak, failed])).some((line) => line.startsWith('recover'))).toBe(false);
    }
    // The event goes on explaining for ten minutes.
    expect(brief(session.at(4, [leak]))).toEqual(['heartbeat']);
    expect(brief(session.at(14, [leak]))).toEqual([
      'alert high gpu_memory_leaked',
      'recover recover-gpu-leak-tick-14',
    ]);
  });

  it('does not send one prune twice', () => {
    const session = new Session(declared);
    const loop = symptom('same_payload_loop', 'high', { subject: { family: 'sweep' } });
    const failure = symptom('repeated_failure', 'high', { subject: { family: 'sweep' } });
    expect(brief(session.at(10, [loop, failure]))).toEqual(['alert high same_payload_loop']);
    expect(brief(session.at(11, [loop, failure]))).toEqual(['alert high same_payload_loop', 'prune sweep']);
    expect(brief(session.at(12, [loop, failure]))).toEqual(['heartbeat']);
    const other = symptom('repeated_failure', 'high', { subject: { family: 'explore' } });
    expect(brief(session.at(13, [loop, other]))).toEqual(['alert high repeated_failure']);
  });
});

describe('siblings of one cause', () => {
  const starving = (kernel: string, severity: Severity = 'high') =>
    symptom('geak_budget_starvation', severity, { subject: { kernel_id: kernel } });
  const contended = (gpu: string, ...pids: number[]) =>
    symptom('gpu_contended', 'medium', {
      subject: { gpu_id: gpu },
      evidence: { holders: pids.map((pid) => ({ pid })) },
    });

  it('have one alert, which names the others, and one prune', () => {
    const session = new Session(declared);
    const first = session.at(1, [starving('a'), starving('b')]);
    expect(brief(first)).toEqual(['alert high geak_budget_starvation']);
    expect(details(first)[0]).toMatchObject({
      subject: { kernel_id: 'a' },
      explains: [{ symptom: 'geak_budget_starvation', subject: { kernel_id: 'b' } }],
    });
    expect(brief(session.at(2, [starving('a'), starving('b')]))).toEqual([
      'alert high geak_budget_starvation',
      'prune kernel_opt',
    ]);
    expect(brief(session.at(3, [starving('a'), starving('b')]))).toEqual(['heartbeat']);
  });

  it('are spoken for by the one that spoke first, whatever its name', () => {
    const session = new Session(declared);
    session.at(1, [starving('b', 'medium')]);
    const second = session.at(2, [starving('a'), starving('b')]);
    expect(details(second).map((detail) => detail['subject'])).toEqual([{ kernel_id: 'b' }]);
  });

  it('speak for themselves once the one that spoke is gone', () => {
    const session = new Session(declared);
    session.at(1, [contended('0', 7), contended('1', 7)]);
    const alone = session.at(2, [contended('1', 7)]);
    expect(details(alone).map((detail) => detail['subject'])).toEqual([{ gpu_id: '1' }]);
  });

  it('are not muted with one that an operator silenced', () => {
    const silence = {
      id: '1',
      symptom: 'gpu_contended',
      subject: { gpu_id: '0' },
      created_unix: 0,
      expires_unix: 2e9,
      comment: '',
    };
    const session = new Session({ ...declared, silences: [silence] });
    const decision = session.at(1, [contended('0', 7), contended('1', 7)]);
    expect(details(decision).map((detail) => detail['subject'])).toEqual([{ gpu_id: '1' }]);
  });

  it('are those that share a process, not two neighbours', () => {
    const shared = new Session(declared).at(1, [contended('0', 7, 8), contended('1', 8), contended('2', 9)]);
    expect(details(shared).map((detail) => detail['subject'])).toEqual([{ gpu_id: '0' }, { gpu_id: '2' }]);
  });
});

describe('a muted root', () => {
  const kept: Overrides = {
    specOf: (name) => (name === 'a' ? spec('state', [{ row: 1, explains: ['b', 'c'] }]) : spec('state')),
  };
  const a = symptom('a', 'high');
  const b = symptom('b', 'high', { subject: { n: '1' } });

  it('is released once for every HIGH symptom that no alert has named', () => {
    const session = new Session(kept);
    expect(brief(session.at(1, [a]))).toEqual(['alert high a']);
    expect(brief(session.at(2, [a, symptom('c', 'medium')]))).toEqual(['heartbeat']);
    const released = session.at(3, [a, b]);
    expect(brief(released)).toEqual(['alert high a']);
    expect(details(released)[0]).toMatchObject({
      policy: ['inhibition_enabled'],
      explains: [{ symptom: 'b' }],
    });
    expect(brief(session.at(4, [a, b]))).toEqual(['heartbeat']);
    expect(session.slot['named']).toEqual({ a: ['b\u001fn=1'] });
    expect(brief(session.at(5, [a, b, symptom('b', 'high', { subject: { n: '2' } })]))).toEqual([
      'alert high a',
    ]);
  });

  it('keeps its silence through such a release', () => {
    const session = new Session(kept);
    const ticks = Array.from({ length: 30 }, (_, i) => i + 1);
    const said = ticks.filter((tick) => session.at(tick, tick < 3 ? [a] : [a, b]).findings.length > 0);
    expect(said).toEqual([1, 3, 8, 18]);
  });

  it('is released again when the named symptom comes back after its episode', () => {
    const session = new Session(kept);
    session.at(1, [a, b]);
    for (const tick of [2, 3, 4, 5]) session.at(tick, [a]);
    expect(brief(session.at(6, [a, b]))).toEqual(['alert high a']);
    for (const tick of [7, 8, 9, 10, 11, 12, 13]) session.at(tick, [a]);
    const back = session.at(14, [a, b]);
    expect(details(back)[0]?.['explains']).toMatchObject([{ symptom: 'b' }]);
  });
});

describe('an operator', () => {
  const silence = (name: string) => [
    { id: '1', symptom: name, subject: {}, created_unix: 0, expires_unix: 2e9, comment: '' },
  ];

  it('who silences the cause still gets the recover of what it explains', () => {
    const session = new Session({ ...declared, silences: silence('host_oom_kill') });
    const killed = symptom('host_oom_kill', 'high', { subject: { process: 'srv' } });
    expect(brief(session.at(1, [killed, deadServer]))).toEqual(['heartbeat']);
    const second = session.at(2, [killed, deadServer]);
    expect(brief(second)).toEqual([
      'alert high local_server_unreachable',
      expect.stringMatching(/^recover recover-server-unreachable-tick-2-/),
    ]);
    expect(details(second)[0]?.['explained_by']).toBe(symptomKey(killed));
  });

  it('who silences what is explained hears no more of it, and gets no recover', () => {
    const session = new Session({ ...declared, silences: silence('local_server_unreachable') });
    const killed = symptom('host_oom_kill', 'high', { subject: { process: 'srv' } });
    session.at(1, [killed]);
    for (const tick of [2, 3, 4])
      expect(brief(session.at(tick, [killed, deadServer]))).toEqual(['heartbeat']);
  });
});

describe('a chain', () => {
  const chain: Overrides = {
    specOf: (name) => {
      if (name === 'a') return spec('state', [{ row: 1, explains: ['b'] }]);
      if (name === 'b') return spec('state', [{ row: 2, explains: ['c'] }]);
      return spec('state');
    },
  };

  it('leads to its first unexplained member', () => {
    const decision = new Session(chain).at(1, [
      symptom('a', 'high'),
      symptom('b', 'high'),
      symptom('c', 'high'),
    ]);
    expect(brief(decision)).toEqual(['alert high a']);
    expect(details(decision)[0]?.['explains']).toMatchObject([{ symptom: 'b' }, { symptom: 'c' }]);
  });

  it('prefers the more severe explainer, then the earlier row', () => {
    const specOf = (name: string): SymptomSpec =>
      name === 'x' ? spec('state') : spec('state', [{ row: name === 'p' ? 5 : 3, explains: ['x'] }]);
    const rootOf = (...others: ReturnType<typeof symptom>[]) =>
      details(new Session({ specOf }).at(1, [...others, symptom('x', 'medium')])).find(
        (detail) => detail['explains'],
      )?.['symptom'];
    expect(rootOf(symptom('p', 'high'), symptom('q', 'medium'))).toBe('p');
    expect(rootOf(symptom('p', 'high'), symptom('q', 'high'))).toBe('q');
    expect(rootOf(symptom('q', 'high'), symptom('r', 'high'))).toBe('q');
  });

  it('that closes upon itself still speaks', () => {
    const specOf = (name: string): SymptomSpec =>
      spec('state', [{ row: 1, explains: [name === 'a' ? 'b' : 'a'] }]);
    const decision = new Session({ specOf }).at(1, [symptom('a', 'high'), symptom('b', 'high')]);
    expect(brief(decision)).toEqual(['alert high a']);
  });

  it('whose condition fails explains nothing', () => {
    const specOf = (name: string): SymptomSpec =>
      spec(
        'state',
        name === 'a'
          ? [
              {
                row: 1,
                explains: ['b'],
                when: () => {
                  throw new Error('odd');
                },
              },
            ]
          : [],
      );
    const decision = new Session({ specOf }).at(1, [symptom('a', 'high'), symptom('b', 'high')]);
    expect(decision.findings).toHaveLength(2);
    expect(decision.warnings).toEqual([expect.stringContaining('row 1')]);
  });
});

describe('a standing symptom', () => {
  const ceiling = symptom('amdahl_kernel_ceiling_low', 'high');

  it('confirms its prune and then says no more', () => {
    const session = new Session(declared);
    const first = session.at(1, [ceiling]);
    expect(first.settlement.isSettled(ceiling)).toBe(true);
    const standing = { ...ceiling, standing: true as const };
    const second = session.at(2, [standing]);
    expect(brief(second)).toEqual(['alert high amdahl_kernel_ceiling_low', 'prune kernel_opt']);
    for (const tick of [3, 8, 50, 90]) expect(brief(session.at(tick, [standing]))).toEqual(['heartbeat']);
  });

  it('is settled only when its own alert went out', () => {
    const session = new Session(declared);
    session.at(1, [ceiling]);
    expect(
      session.at(2, [symptom('x', 'low'), { ...ceiling, severity: 'medium' }]).settlement.isSettled(ceiling),
    ).toBe(false);
    const schema = symptom('ci_metrics_schema_drift', 'medium');
    const explained = new Session(declared).at(1, [symptom('ci_metrics_baseline_zero', 'high'), schema]);
    expect(explained.settlement.isSettled(schema)).toBe(false);
  });
});
