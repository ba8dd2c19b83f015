import { describe, expect, it } from 'vitest';
import type { Symptom } from '../../../src/signals/symptom.js';
import { brief, details, type Overrides, Session, symptom } from './ladder-run.js';

/** Worked examples of spec 05 A.12.5: defaults, one minute between ticks. */
function run(
  ticks: readonly number[],
  symptomsAt: (tick: number) => readonly Symptom[],
  overrides: Overrides = {},
) {
  const session = new Session(overrides);
  const decisions = new Map(ticks.map((tick) => [tick, session.at(tick, symptomsAt(tick))]));
  const said = [...decisions].flatMap(([tick, decision]) => {
    const lines = brief(decision);
    return lines[0] === 'heartbeat' ? [] : [[tick, ...lines]];
  });
  const at = (tick: number) => decisions.get(tick) ?? session.at(tick, []);
  return { session, said, at };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const leak = symptom('gpu_memory_leaked', 'high', { evidence: { gpus: 1 } });
const deadUrl = (port: number) => {
  const url = `http://127.0.0.1:${port}/health`;
  return symptom('local_server_unreachable', 'high', { subject: { url }, evidence: { url } });
};
const loop = (family: string) => symptom('same_payload_loop', 'high', { subject: { family } });
const failure = (family: string, severity: 'medium' | 'high') =>
  symptom('repeated_failure', severity, { subject: { family } });
const disk = (severity: 'medium' | 'high') =>
  symptom('disk_pressure', severity, { subject: { mountpoint: '/' } });

describe('reminders', () => {
  it('wait longer each time', () => {
    const { said } = run(range(10, 130), () => [symptom('x', 'medium')]);
    expect(said.map(([tick]) => tick)).toEqual([10, 15, 25, 45, 85, 125]);
  });

  it('come sooner when ticks are long', () => {
    const session = new Session();
    const ticks = range(10, 60).filter((tick) => {
      const decision = session.at(tick, [symptom('x', 'medium')], { nowUnix: 1_700_000_000 + tick * 1200 });
      return decision.findings.length > 0;
    });
    expect(ticks).toEqual([10, 12, 15, 21, 33, 45, 57]);
  });

  it('are not released by a clock that went back', () => {
    const session = new Session();
    session.at(10, [symptom('x', 'medium')], { nowUnix: 1_700_000_000 });
    expect(brief(session.at(11, [symptom('x', 'medium')], { nowUnix: 1_600_000_000 }))).toEqual([
      'heartbeat',
    ]);
    const late = session.at(12, [symptom('x', 'medium')], { nowUnix: 1_700_001_800 });
    expect(details(late)[0]?.['policy']).toEqual(['cooldown_release_s']);
  });

  it('tell in the finding when the next one is due', () => {
    const { at } = run([10, 15], () => [symptom('x', 'medium')]);
    expect(at(10).findings[0]?.cooldown_until_tick).toBe(15);
    expect(at(15).findings[0]?.cooldown_until_tick).toBe(25);
  });
});

describe('a prune', () => {
  it('waits for its second evaluation and is sent once', () => {
    const { said, at } = run(range(10, 50), () => [loop('explore')]);
    expect(said).toEqual([
      [10, 'alert high same_payload_loop'],
      [11, 'alert high same_payload_loop', 'prune explore'],
      [16, 'alert high same_payload_loop'],
      [26, 'alert high same_payload_loop'],
      [46, 'alert high same_payload_loop'],
    ]);
    expect(details(at(10))[0]).toMatchObject({
      policy: ['destructive_confirmations'],
      pending_action: {
        intent_type: 'prune_branch',
        family: 'explore',
        held_by: 'destructive_confirmations',
        confirmations: 1,
        needed: 2,
      },
    });
    expect(details(at(11))[0]?.['policy']).toEqual(['destructive_confirmations']);
    for (const tick of [16, 26, 46]) {
      expect(details(at(tick))[0]).toMatchObject({ already_pruned: 'explore', policy: ['repeat_prune'] });
    }
  });

  it('follows the severity of its symptom', () => {
    const severity = (tick: number) => ((tick >= 11 && tick <= 13) || tick === 19 ? 'high' : 'medium');
    const { said, at } = run(range(10, 19), (tick) => [failure('sweep', severity(tick))]);
    expect(said).toEqual([
      [10, 'alert medium repeated_failure'],
      [11, 'alert high repeated_failure'],
      [12, 'alert high repeated_failure', 'prune sweep'],
      [18, 'alert medium repeated_failure'],
      [19, 'alert high repeated_failure'],
    ]);
    expect(details(at(11))[0]).toMatchObject({
      policy: ['escalation_bypasses_cooldown', 'destructive_confirmations'],
      pending_action: { confirmations: 1 },
    });
    expect(details(at(19))[0]?.['already_pruned']).toBe('sweep');
  });

  it('needs one look at HIGH where the symptom has stood below it before, and says so', () => {
    const { said, at } = run(range(10, 14), (tick) => [failure('sweep', tick < 12 ? 'medium' : 'high')]);
    expect(said).toEqual([
      [10, 'alert medium repeated_failure'],
      [12, 'alert high repeated_failure', 'prune sweep'],
    ]);
    expect(details(at(12))[0]?.['policy']).toEqual([
      'escalation_bypasses_cooldown',
      'prune_lower_confirmations',
    ]);
    expect(details(at(12))[0]?.['pending_action']).toBeUndefined();
  });

  it.each([
    ['it stood there for one evaluation', '   mhh'],
    ['it was away in between', ' m m hh'],
    ['it was at HIGH in between', ' mhmhh'],
  ])('needs two where %s', (_why, severities) => {
    const at = (tick: number) => severities[tick - 10];
    const { said } = run(range(10, 9 + severities.length), (tick) =>
      at(tick) === ' ' ? [] : [failure('sweep', at(tick) === 'h' ? 'high' : 'medium')],
    );
    const prunes = said.filter(([, ...what]) => what.includes('prune sweep'));
    expect(prunes.map(([tick]) => tick)).toEqual([9 + severities.length]);
  });

  it('needs two where the looks below HIGH were turns of one tick', () => {
    const { said } = run([10, 10, 10, 11, 12], (tick) => [failure('sweep', tick < 11 ? 'medium' : 'high')]);
    expect(said.filter(([, ...what]) => what.includes('prune sweep')).map(([tick]) => tick)).toEqual([12]);
  });

  it('needs two at HIGH where the policy is off', () => {
    const { said } = run(range(10, 14), (tick) => [failure('sweep', tick < 13 ? 'medium' : 'high')], {
      config: { prune_lower_confirmations: 0 },
    });
    expect(said).toEqual([
      [10, 'alert medium repeated_failure'],
      [13, 'alert high repeated_failure'],
      [14, 'alert high repeated_failure', 'prune sweep'],
    ]);
  });

  it('leaves the slot of the example behind', () => {
    const { session } = run([10, 11], (tick) => [failure('sweep', tick === 10 ? 'medium' : 'high')]);
    const key = 'repeated_failure\u001ffamily=sweep';
    expect(session.slot).toMatchObject({
      last_emitted: { [key]: 11 },
      last_tick: 11,
      max_tick: 11,
      keys: {
        [key]: {
          severity: 'high',
          silence: 5,
          peak: 11,
          streak: 1,
          remedy: 'held',
          absent: 0,
          absent_since: null,
          notice: true,
          explained: [],
        },
      },
    });
    expect(session.slot['recover']).toBeUndefined();
  });

  it('never touches a protected family, nor one that the prompt lists', () => {
    const { said, at } = run([10, 11, 12], () => [loop('baseline')]);
    expect(said).toEqual([[10, 'alert high same_payload_loop']]);
    expect(details(at(10))[0]).toMatchObject({ protected: 'baseline', policy: ['protected_families'] });
    const listed = run([10, 11, 12], () => [loop('sweep')], { prunedFamilies: ['sweep'] });
    expect(listed.said).toEqual([[10, 'alert high same_payload_loop']]);
    expect(details(listed.at(10))[0]?.['already_pruned']).toBe('sweep');
  });

  it('is sent once when two symptoms ask for it', () => {
    const both = ['amdahl_kernel_ceiling_low', 'kernel_opt_no_progress'].map((name) => symptom(name, 'high'));
    const { said } = run([10, 11], () => both);
    expect(said[1]).toEqual([11, 'alert high amdahl_kernel_ceiling_low', 'prune kernel_opt']);
  });

  it('starts counting again after a gap', () => {
    const { said } = run([10, 11, 12], (tick) => (tick === 11 ? [] : [loop('explore')]));
    expect(said).toEqual([[10, 'alert high same_payload_loop']]);
  });

  it('is held in the closing phase, and says so', () => {
    const { said, at } = run([10, 11], () => [loop('explore'), leak], { closingPhase: true });
    expect(said).toEqual([[10, 'alert high same_payload_loop', 'alert high gpu_memory_leaked']]);
    expect(details(at(10)).map((detail) => detail['pending_action'])).toMatchObject([
      { held_by: 'closing_phase' },
      { held_by: 'closing_phase', action_name: 'recover' },
    ]);
    expect(at(10).findings.map(({ policy }) => policy)).toEqual([undefined, undefined]);
  });

  it('waits once more when the experiment on prunes drew it', () => {
    const held = run(range(10, 14), () => [loop('explore')], {
      config: { holdback_pct: 50 },
      sessionId: 'a',
    });
    const drawn = held.at(10).findings[0]?.holdback;
    expect(drawn?.propensity).toBe(0.5);
    const prune = held.said.find((line) => line.includes('prune explore'))?.[0];
    expect(prune).toBe(drawn?.held ? 12 : 11);
    const sessions = Array.from({ length: 200 }, (_, i) => `s${i}`);
    const share = sessions.filter((sessionId) => {
      const first = run([10], () => [loop('explore')], { config: { holdback_pct: 20 }, sessionId }).at(10);
      return first.findings[0]?.holdback?.held;
    }).length;
    expect(share).toBeGreaterThan(20);
    expect(share).toBeLessThan(60);
  });
});

describe('a flapping severity', () => {
  it('is not told up and down', () => {
    const { said } = run(range(11, 90), (tick) => [disk(tick % 2 === 1 ? 'high' : 'medium')]);
    expect(said).toEqual([11, 17, 27, 47, 87].map((tick) => [tick, 'alert high disk_pressure']));
  });
});

describe('a recover', () => {
  it('needs two looks at HIGH however long its symptom has stood below', () => {
    const { said } = run(range(7, 12), (tick) => [{ ...leak, severity: tick < 11 ? 'medium' : 'high' }]);
    expect(said).toEqual([
      [7, 'alert medium gpu_memory_leaked'],
      [11, 'alert high gpu_memory_leaked'],
      [12, 'alert high gpu_memory_leaked', 'recover recover-gpu-leak-tick-12'],
    ]);
  });

  it('is one per tick and backs off', () => {
    const { said, at, session } = run(range(7, 45), () => [leak, deadUrl(1), deadUrl(2)]);
    const alerts = [
      'alert high gpu_memory_leaked',
      'alert high local_server_unreachable',
      'alert high local_server_unreachable',
    ];
    const [first, ...rest] = alerts;
    const withRecover = (tick: number) => [tick, first, `recover recover-gpu-leak-tick-${tick}`, ...rest];
    expect(said).toEqual([[7, ...alerts], withRecover(8), [13, ...alerts], withRecover(23), withRecover(43)]);
    expect(details(at(7)).every((detail) => detail['pending_action'] !== undefined)).toBe(true);
    expect(at(8).intents[1]?.payload['params']).toMatchObject({
      reason: 'gpu_memory_leaked',
      also: [{ reason: 'local_server_unreachable' }, { reason: 'local_server_unreachable' }],
    });
    expect(details(at(8)).map((detail) => detail['merged_into'])).toEqual([
      undefined,
      'recover-gpu-leak-tick-8',
      'recover-gpu-leak-tick-8',
    ]);
    expect(details(at(13))[0]?.['pending_action']).toMatchObject({
      held_by: 'recover_backoff_ticks',
      until_tick: 18,
    });
    expect(session.slot['recover']).toMatchObject({ tick: 43, backoff: 40 });
  });

  it('is released when its back-off ends', () => {
    const { said, at } = run(range(7, 19), (tick) => (tick === 9 ? [] : [leak]));
    expect(said).toEqual([
      [7, 'alert high gpu_memory_leaked'],
      [8, 'alert high gpu_memory_leaked', 'recover recover-gpu-leak-tick-8'],
      [13, 'alert high gpu_memory_leaked'],
      [18, 'alert high gpu_memory_leaked', 'recover recover-gpu-leak-tick-18'],
    ]);
    expect(details(at(13))[0]?.['pending_action']).toMatchObject({ until_tick: 18 });
    expect(details(at(18))[0]?.['policy']).toEqual(['recover_backoff_ticks']);
  });

  it('starts again with a short silence after a long calm', () => {
    const { session } = run([7, 8, 200], () => [leak]);
    expect(session.slot['recover']).toMatchObject({ tick: 200, backoff: 10 });
  });

  it('may be several per tick, and all of them when nothing limits it', () => {
    const symptoms = [leak, deadUrl(1), deadUrl(2)];
    const two = run([7, 8], () => symptoms, { config: { max_recovers_per_tick: 2 } });
    expect(two.said[1]?.filter((line) => String(line).startsWith('recover'))).toHaveLength(2);
    const all = run([7, 8], () => symptoms, { config: { max_recovers_per_tick: 0 } });
    expect(all.said[1]?.filter((line) => String(line).startsWith('recover'))).toHaveLength(3);
  });
});

describe('a resolved notice', () => {
  it('tells once that a state reported at HIGH is gone', () => {
    const { said, at } = run(range(10, 15), (tick) => (tick >= 11 && tick <= 13 ? [] : [disk('high')]));
    expect(said).toEqual([
      [10, 'alert high disk_pressure'],
      [12, 'resolved disk_pressure'],
      [15, 'alert high disk_pressure'],
    ]);
    expect(details(at(12))).toEqual([
      {
        symptom: 'disk_pressure',
        subject: { mountpoint: '/' },
        resolved: true,
        since_tick: 11,
        policy: ['resolved_notices'],
      },
    ]);
    expect(at(12).findings).toEqual([]);
  });

  it('waits while the symptom cannot be judged', () => {
    const session = new Session();
    session.at(10, [disk('high')]);
    for (const tick of [11, 12, 13]) {
      expect(brief(session.at(tick, [], { undecided: ['disk_pressure'] }))).toEqual(['heartbeat']);
    }
    session.at(14, []);
    expect(brief(session.at(15, []))).toEqual(['resolved disk_pressure']);
  });

  it('is not written for events, for medium alerts, for silenced keys or when switched off', () => {
    expect(run(range(10, 14), (tick) => (tick === 10 ? [loop('explore')] : [])).said).toHaveLength(1);
    expect(run(range(10, 14), (tick) => (tick === 10 ? [disk('medium')] : [])).said).toHaveLength(1);
    const off = { config: { resolved_notices: false } };
    expect(run(range(10, 14), (tick) => (tick === 10 ? [disk('high')] : []), off).said).toHaveLength(1);
    const session = new Session();
    session.at(10, [disk('high')]);
    const silence = {
      id: '1',
      symptom: 'disk_pressure',
      subject: {},
      created_unix: 0,
      expires_unix: 2_000_000_000,
      comment: '',
    };
    for (const tick of [11, 12, 13])
      expect(brief(session.at(tick, [], { silences: [silence] }))).toEqual(['heartbeat']);
  });

  it('comes in bounded numbers and key order', () => {
    const many = range(10, 39).map((n) =>
      symptom('disk_pressure', 'high', { subject: { mountpoint: `/m${n}` } }),
    );
    const { at } = run([1, 2, 3, 4], (tick) => (tick === 1 ? many : []));
    const subjects = [...details(at(3)), ...details(at(4))].map((detail) =>
      JSON.stringify(detail['subject']),
    );
    expect(details(at(3))).toHaveLength(16);
    expect(details(at(4))).toHaveLength(14);
    expect(subjects).toEqual([...subjects].sort());
  });
});

describe('lives of a session', () => {
  it('begin anew with a smaller tick', () => {
    expect(run([20, 3, 4, 8], () => [symptom('x', 'medium')]).said.map(([tick]) => tick)).toEqual([20, 3, 8]);
  });

  it('keep prunes, put recovers off and never repeat an idempotency key', () => {
    const session = new Session();
    for (const tick of [7, 8]) session.at(tick, [leak, loop('explore')]);
    for (const tick of [3, 4]) {
      expect(
        brief(session.at(tick, [leak, loop('explore')])).some((line) => /^(recover|prune)/.test(line)),
      ).toBe(false);
    }
    const config = { recover_backoff_ticks: 0 };
    const again = new Session({ config });
    for (const tick of [7, 8, 7]) again.at(tick, [leak]);
    const decision = again.at(8, [leak], { nowUnix: 1_800_000_000.9 });
    expect(brief(decision)[1]).toBe('recover recover-gpu-leak-tick-8-1800000000');
    const earlier = new Session({ config });
    for (const tick of [7, 8, 6]) earlier.at(tick, [leak]);
    expect(brief(earlier.at(7, [leak], { nowUnix: 1_800_000_000.9 }))[1]).toBe(
      'recover recover-gpu-leak-tick-7-1800000000',
    );
  });

  it('go on when a turn is repeated: nothing counts twice', () => {
    const session = new Session();
    session.at(10, [loop('explore')]);
    const again = session.at(10, [loop('explore')]);
    expect(brief(again)).toEqual(['heartbeat']);
    expect(brief(session.at(11, [loop('explore')]))).toContain('prune explore');
    session.at(12, []);
    session.at(12, []);
    expect(session.slot['keys']).toMatchObject({
      'same_payload_loop\u001ffamily=explore': { absent: 1, streak: 0 },
    });
  });
});

describe('what is not said', () => {
  it('stands in the presence line with its reason', () => {
    const silence = {
      id: '1',
      symptom: 'disk_pressure',
      subject: { mountpoint: '/' },
      created_unix: 0,
      expires_unix: 2e9,
      comment: '',
    };
    const session = new Session({ silences: [silence] });
    const present = [loop('sweep'), failure('sweep', 'high'), disk('high'), symptom('x', 'low')];
    session.at(10, present);
    const { presence } = session.at(10, present, { undecided: ['agent_stall'] });
    expect(presence).toMatchObject({
      tick_index: 10,
      present: [
        'same_payload_loop\u001ffamily=sweep',
        'repeated_failure\u001ffamily=sweep',
        'disk_pressure\u001fmountpoint=/',
        'x',
      ],
      muted: {
        'same_payload_loop\u001ffamily=sweep': 'cooldown_ticks',
        'repeated_failure\u001ffamily=sweep': 'inhibition_enabled',
        'disk_pressure\u001fmountpoint=/': 'silence',
        x: 'cooldown_ticks',
      },
      undecided: ['agent_stall'],
    });
  });

  it('is silenced by name, by every given pair, and only while the silence lasts', () => {
    const silence = (parts: object) => ({
      id: '1',
      symptom: 'disk_pressure',
      subject: {},
      created_unix: 0,
      expires_unix: 2e9,
      comment: '',
      ...parts,
    });
    const says = (parts: object) =>
      brief(new Session({ silences: [silence(parts)] }).at(10, [disk('high')]))[0];
    expect(says({})).toBe('heartbeat');
    expect(says({ subject: { mountpoint: '/' } })).toBe('heartbeat');
    expect(says({ subject: { mountpoint: '/data' } })).toBe('alert high disk_pressure');
    expect(says({ subject: { mountpoint: '/', other: '1' } })).toBe('alert high disk_pressure');
    expect(says({ symptom: 'disk' })).toBe('alert high disk_pressure');
    expect(says({ expires_unix: 1_600_000_000 })).toBe('alert high disk_pressure');
  });
});
