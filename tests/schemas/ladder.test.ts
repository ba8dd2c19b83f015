import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOr } from '../../src/foreign/json.js';
import { soundIntents } from '../../src/reactor/sound-intents.js';
import { RULES } from '../../src/signals/registry.js';
import type { Severity, Symptom, SymptomSource } from '../../src/signals/symptom.js';
import { DEFAULTS, REFERENCE, Session } from '../decision/ladder/ladder-run.js';
import { violations } from '../support/schemas.js';

const SPECS = new Map(RULES.flatMap((rule) => Object.entries(rule.symptoms)));
/** Those that have a destructive intent come often enough to be confirmed. */
const NAMES = [...SPECS.keys(), 'gpu_memory_leaked', 'local_server_unreachable', 'repeated_failure'];

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', 'explore', 'baseline', '/data'),
);
const anySymptom: fc.Arbitrary<Symptom> = fc.record({
  name: fc.constantFrom(...NAMES),
  severity: fc.constantFrom<Severity[]>('low', 'medium', 'high', 'high'),
  summary: text,
  evidence: fc.dictionary(text, fc.jsonValue()).map((value) => objectOr(JSON.parse(JSON.stringify(value)))),
  subject: fc.dictionary(fc.constantFrom('family', 'url', 'mountpoint', 'agent'), text),
  source: fc.constantFrom<SymptomSource[]>('local', 'server', 'inbox', 'unknown'),
  suggestion: text,
});
const ticks = fc.array(fc.array(anySymptom, { maxLength: 5 }), { minLength: 1, maxLength: 6 });

describe('whatever the rules report', () => {
  it.each([
    ['by default', DEFAULTS],
    ['as the reference', REFERENCE],
  ])('intents, findings, presence and memory satisfy their schemas (%s)', (_profile, config) => {
    fc.assert(
      fc.property(ticks, (session) => {
        const ladder = new Session({ specOf: (name) => SPECS.get(name), config });
        session.forEach((symptoms, index) => {
          // The same symptoms twice, so that destructive intents are confirmed.
          for (const tick of [2 * index + 1, 2 * index + 2]) {
            const { intents, findings, presence } = ladder.at(tick, symptoms);
            expect(intents.flatMap((intent) => violations('intent', intent))).toEqual([]);
            expect(findings.flatMap((finding) => violations('finding', finding))).toEqual([]);
            expect(violations('presence', presence)).toEqual([]);
            expect(soundIntents(intents).problems).toEqual([]);
          }
        });
        expect(violations('detector-state', { action_ladder: ladder.slot })).toEqual([]);
      }),
    );
  });
});
