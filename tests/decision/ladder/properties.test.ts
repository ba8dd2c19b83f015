import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/decision/ladder/decide.js';
import { parseSlot, serialiseSlot } from '../../../src/decision/ladder/slot.js';
import { violationOf } from '../../../src/decision/policy-guard.js';
import { finiteNumber, type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { RULES } from '../../../src/signals/registry.js';
import { cooldownKey, type Severity, type Symptom } from '../../../src/signals/symptom.js';
import {
  brief,
  DEFAULTS,
  decideOn,
  type Overrides,
  REFERENCE,
  SESSION_DIR,
  Session,
  symptom,
} from './ladder-run.js';

const SPECS = new Map(RULES.flatMap((rule) => Object.entries(rule.symptoms)));
const declared: Overrides = { specOf: (name) => SPECS.get(name) };

const family = fc.constantFrom(
  'baseline',
  'explore',
  'sweep',
  'recover',
  'report',
  'validate_stack',
  ' baseline ',
);
const severity = fc.constantFrom<Severity[]>('low', 'medium', 'high');
const anySymptom: fc.Arbitrary<Symptom> = fc.oneof(
  fc
    .record({ name: fc.constantFrom('same_payload_loop', 'repeated_failure'), severity, family })
    .map((s) => symptom(s.name, s.severity, { subject: { family: s.family } })),
  fc.record({ port: fc.integer({ min: 1, max: 3 }), severity }).map((s) =>
    symptom('local_server_unreachable', s.severity, {
      subject: { url: `http://h:${s.port}` },
      evidence: { url: 'x' },
    }),
  ),
  severity.map((level) => symptom('gpu_memory_leaked', level, { evidence: { gpus: 1 } })),
  severity.map((level) => symptom('geak_budget_starvation', level, { subject: { kernel_id: 'k' } })),
  severity.map((level) => symptom('recover_unsuccessful', level)),
  fc
    .record({ agent: fc.constantFrom('critic', 'orchestration'), severity })
    .map((s) => symptom('agent_stall', s.severity, { subject: { agent: s.agent } })),
);
const step = fc.record({
  tick: fc.integer({ min: 1, max: 60 }),
  symptoms: fc.array(anySymptom, { maxLength: 6 }),
  closingPhase: fc.boolean(),
  seconds: fc.integer({ min: 0, max: 4000 }),
});
const anySession = fc.array(step, { minLength: 1, maxLength: 25 });

interface Step {
  readonly tick: number;
  readonly symptoms: readonly Symptom[];
  readonly closingPhase: boolean;
  readonly seconds: number;
}

/** Plays a session and hands every decision to the check, with the slot that it was made on. */
function play(
  steps: readonly Step[],
  check: (decision: Decision, at: { step: Step; slot: JsonObject; now: number }) => void,
  overrides: Overrides = declared,
): void {
  const session = new Session(overrides);
  let now = 1_700_000_000;
  for (const step of steps) {
    now += step.seconds;
    const { slot } = session;
    const { tick, symptoms, closingPhase } = step;
    check(session.at(tick, symptoms, { closingPhase, nowUnix: now }), { step, slot, now });
  }
}

function entryIn(slot: JsonObject, item: Symptom): JsonObject {
  return objectOr(objectOr(slot['keys'])[cooldownKey(item)]);
}

describe('whatever a session looks like', () => {
  it('every tick says something valid, and a heartbeat stands alone', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        play(steps, ({ intents, warnings }, { step }) => {
          const guard = { closingPhase: step.closingPhase, sessionDir: SESSION_DIR };
          expect(intents.length).toBeGreaterThan(0);
          expect(intents.map((intent) => violationOf(intent, guard))).toEqual(intents.map(() => undefined));
          expect(warnings).toEqual([]);
          const beats = intents.filter(({ payload }) => payload['topic'] === 'heartbeat').length;
          expect(beats).toBe(intents.length === 1 ? beats : 0);
        });
      }),
    );
  });

  it('no tick has more recovers than allowed, and no two recovers share a key', () => {
    fc.assert(
      fc.property(anySession, fc.integer({ min: 1, max: 3 }), (steps, max) => {
        const seen = new Set<string>();
        const check = (decision: Decision, { step }: { step: Step }) => {
          const recovers = brief(decision).filter((line) => line.startsWith('recover '));
          expect(recovers.length).toBeLessThanOrEqual(step.closingPhase ? 0 : max);
          for (const line of recovers) {
            expect(seen.has(line)).toBe(false);
            seen.add(line);
          }
        };
        // A repeated tick within one second could repeat a key; the clock of a session moves on.
        const moving = steps.map((one) => ({ ...one, seconds: one.seconds + 1 }));
        play(moving, check, { ...declared, config: { max_recovers_per_tick: max } });
      }),
    );
  });

  it('no protected family and no family twice is pruned, and nothing without confirmation', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        const pruned = new Set<string>();
        let atHigh = new Set<string>();
        let [before, earlier] = [new Set<string>(), new Set<string>()];
        play(steps, (decision, { step }) => {
          for (const { intents, key } of decision.emissions) {
            for (const { intent_type, payload } of intents) {
              if (intent_type !== 'prune_branch') continue;
              const name = String(payload['family']);
              expect(DEFAULTS.protected_families).not.toContain(name);
              expect(pruned.has(name)).toBe(false);
              expect(atHigh.has(key) || (before.has(key) && earlier.has(key))).toBe(true);
              pruned.add(name);
            }
          }
          atHigh = new Set(step.symptoms.filter((item) => item.severity === 'high').map(cooldownKey));
          [before, earlier] = [new Set(step.symptoms.map(cooldownKey)), before];
        });
      }),
    );
  });

  it('nothing is pruned that was not at HIGH before, where looks below it stand for none', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        let before = new Set<string>();
        const check: Parameters<typeof play>[1] = (decision, { step }) => {
          for (const { intents, key } of decision.emissions)
            if (intents.some(({ intent_type }) => intent_type === 'prune_branch'))
              expect(before.has(key)).toBe(true);
          before = new Set(step.symptoms.filter((item) => item.severity === 'high').map(cooldownKey));
        };
        play(steps, check, { ...declared, config: { prune_lower_confirmations: 0 } });
      }),
    );
  });

  it('an escalation is never muted', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        const check: Parameters<typeof play>[1] = (decision, { step, slot }) => {
          if (step.tick < (finiteNumber(slot['last_tick']) ?? 0)) return;
          const heard = new Set(decision.emissions.map(({ key }) => key));
          const firsts = new Map(step.symptoms.toReversed().map((item) => [cooldownKey(item), item]));
          for (const [key, item] of firsts) {
            const last = entryIn(slot, item)['severity'];
            const ranks = ['low', 'medium', 'high'];
            const isHigher = typeof last === 'string' && ranks.indexOf(item.severity) > ranks.indexOf(last);
            if (isHigher) expect(heard.has(key)).toBe(true);
          }
        };
        play(steps, check, { ...declared, config: { inhibition_enabled: false } });
      }),
    );
  });

  it('a repeated turn says nothing again', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        play(steps, (decision, { step, now }) => {
          const again = decideOn(decision.nextSlot, step.symptoms, step.tick, {
            ...declared,
            closingPhase: step.closingPhase,
            nowUnix: now,
          });
          expect(brief(again)).toEqual(['heartbeat']);
          expect(again.nextSlot).toEqual(decision.nextSlot);
        });
      }),
    );
  });

  it('the same input gives the same decision, and the slot survives its file', () => {
    fc.assert(
      fc.property(anySession, (steps) => {
        play(steps, (decision, { step, slot, now }) => {
          const options = { ...declared, closingPhase: step.closingPhase, nowUnix: now };
          const twin = decideOn(slot, step.symptoms, step.tick, options);
          expect(twin.intents).toEqual(decision.intents);
          expect(serialiseSlot(parseSlot(decision.nextSlot))).toEqual(decision.nextSlot);
          expect(JSON.parse(JSON.stringify(decision.nextSlot))).toEqual(decision.nextSlot);
        });
      }),
    );
  });

  it('the reference policy is its plain cooldown', () => {
    fc.assert(
      fc.property(anySession, fc.integer({ min: -2, max: 7 }), (steps, cooldown) => {
        const last = new Map<string, number>();
        const config = { ...REFERENCE, cooldown_ticks: cooldown };
        const open = steps.map((one) => ({ ...one, closingPhase: false }));
        play(
          open,
          (decision, { step }) => {
            const firsts = new Map(step.symptoms.toReversed().map((item) => [cooldownKey(item), item]));
            const due = [...firsts.keys()].filter((key) => {
              const at = last.get(key);
              return at === undefined || step.tick - at >= cooldown;
            });
            for (const key of due) last.set(key, step.tick);
            expect(new Set(decision.emissions.map(({ key }) => key))).toEqual(new Set(due));
          },
          { ...declared, config },
        );
      }),
    );
  });
});

describe('a hostile slot', () => {
  const oddNumber = fc.constantFrom(0, -1, 1e300, -1e300, 0.5, 7);
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), oddNumber, fc.constantFrom('high', '9', 'held'));
  const key = fc.constantFrom(
    'x',
    'gpu_memory_leaked',
    '__proto__',
    '',
    'log_error_pattern\u001fpattern=Killed',
    '=\u001f=',
  );
  const oddEntry = fc.record(
    {
      severity: odd,
      emitted_unix: odd,
      silence: odd,
      peak: odd,
      streak: odd,
      remedy: odd,
      absent: odd,
      absent_since: odd,
      notice: fc.boolean(),
      explained: odd,
    },
    { requiredKeys: [] },
  );
  const oddSlot = fc.record(
    {
      last_emitted: fc.oneof(fc.dictionary(key, odd), odd),
      last_tick: odd,
      max_tick: odd,
      keys: fc.oneof(fc.dictionary(key, fc.oneof(oddEntry, odd)), odd),
      recover: fc.oneof(fc.record({ tick: odd, unix: odd, backoff: odd }), odd),
      pruned: odd,
      last_present: fc.dictionary(key, fc.tuple(odd, odd)),
      named: fc.dictionary(key, odd),
    },
    { requiredKeys: [] },
  );

  it('costs neither the tick nor, for longer than the longest silence, an alert', () => {
    fc.assert(
      fc.property(oddSlot, (raw) => {
        let slot: JsonObject = objectOr(JSON.parse(JSON.stringify(raw)));
        let wasHeard = false;
        for (let tick = 1; tick <= DEFAULTS.reminder_max_ticks + 1; tick += 1) {
          const decision = decideOn(slot, [symptom('x', 'medium')], tick, declared);
          wasHeard ||= decision.emissions.some(({ intents }) => intents.length > 0);
          slot = decision.nextSlot;
        }
        expect(wasHeard).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('is bounded however full it arrives', () => {
    const many = Array.from({ length: 6000 }, (_, i) => [
      `x\u001fn=${i}`,
      { absent: 1, absent_since: 990 + (i % 10), notice: true },
    ]);
    const ticks = many.map(([name]) => [name, 990]);
    const slot = { last_tick: 999, keys: Object.fromEntries(many), last_emitted: Object.fromEntries(ticks) };
    const { nextSlot } = decideOn(slot, [symptom('y', 'low')], 1000, { config: { cooldown_ticks: 50 } });
    expect(Object.keys(objectOr(nextSlot['keys']))).toHaveLength(4096);
    expect(objectOr(nextSlot['keys'])['y']).toBeDefined();
    expect(Object.keys(objectOr(nextSlot['last_emitted']))).toHaveLength(4096);
  });

  it('forgets emissions of long ago', () => {
    const slot = { last_emitted: { old: 10, young: 600 }, last_tick: 999 };
    expect(decideOn(slot, [], 1000).nextSlot['last_emitted']).toEqual({ young: 600 });
    expect(
      decideOn(slot, [], 1000, { config: { tick_regression_resets: false } }).nextSlot['last_emitted'],
    ).toEqual({
      old: 10,
      young: 600,
    });
  });
});

describe('what leaves', () => {
  it('is masked and bounded, but the key is not', () => {
    const url = 'http://user:secretpassword@h/x';
    const item = symptom('x', 'high', {
      summary: `bad\n${'long '.repeat(200)}`,
      subject: { url },
      evidence: { log: 'Authorization: Bearer abcdefgh', big: 'y'.repeat(5000), lone: '\ud800' },
      suggestion: 'use\ttoken=abcdefgh1234',
    });
    const { intents, findings, nextSlot } = decideOn({}, [item], 1);
    const json = JSON.stringify([intents, findings]);
    expect(json).not.toMatch(/secretpassword|abcdefgh|ud800/);
    expect(String(intents[0]?.payload['summary'])).toHaveLength(500);
    expect(findings[0]?.summary).not.toContain('\n');
    expect(findings[0]?.evidence).toMatchObject({ truncated: true, lone: '\ufffd' });
    expect(Object.keys(objectOr(nextSlot['last_emitted']))).toEqual([`x\u001furl=${url}`]);
  });

  it('costs only itself when a symptom cannot be handled', () => {
    const broken = symptom('a', 'high');
    Object.defineProperty(broken, 'evidence', {
      get() {
        throw new Error('odd');
      },
    });
    const decision = decideOn({}, [broken, symptom('b', 'high')], 1);
    expect(brief(decision)).toEqual(['alert high b']);
    expect(decision.warnings).toEqual([expect.stringContaining('a could not be decided')]);
  });

  it('moves paths in intents, not in findings', () => {
    const item = symptom('empty_patch_kept', 'high', {
      subject: { patch_path: '/opt/x' },
      evidence: { patch_path: '/opt/x', workspace: `${SESSION_DIR}/w` },
    });
    const { intents, findings } = decideOn({}, [item], 1);
    expect(intents[0]?.payload['detail']).toMatchObject({
      subject: { patch_path_external: '/opt/x' },
      evidence: { patch_path_external: '/opt/x', workspace: `${SESSION_DIR}/w` },
    });
    expect(findings[0]).toMatchObject({
      subject: { patch_path: '/opt/x' },
      evidence: { patch_path: '/opt/x' },
    });
  });
});
