import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { engineProgress } from '../../../src/signals/rules/engine_progress.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

const stuck = { running: 4, waiting: 12, gen_tokens_s: 0, prompt_tokens_s: 0 };
const working = { ...stuck, gen_tokens_s: 812.5 };

/** Samples that end now (10000 s), so many seconds apart. */
function series(stepS: number, ...samples: readonly JsonObject[]): Json[] {
  return samples.map((sample, index) => ({ unix: 10_000 - (samples.length - 1 - index) * stepS, ...sample }));
}

function engine(samples: readonly Json[], change: JsonObject = {}): Sight {
  const log = { log: 'server_logs/server.log', engine: 'vllm', ever_generated: true, samples, ...change };
  return { snapshot: { local_engine: [log] } };
}

const hang = 'engine_hang';

testRule(engineProgress, {
  valid: [
    { why: 'no source measures engines', snapshot: {} },
    { why: 'engines are unknown', snapshot: { local_engine: null } },
    {
      why: 'an idle engine has nothing to generate',
      ...engine(series(60, ...Array.from({ length: 10 }, () => ({ ...stuck, waiting: 0 })))),
    },
    { why: 'a working engine with a long queue', ...engine(series(60, working, working, working, working)) },
    { why: 'it generates again', ...engine(series(60, stuck, stuck, stuck, stuck, working)) },
    {
      why: 'it reads a long prompt',
      ...engine(series(60, ...Array.from({ length: 5 }, () => ({ ...stuck, prompt_tokens_s: 9000 })))),
    },
    { why: 'two samples prove nothing', ...engine(series(300, stuck, stuck)) },
    { why: 'three samples within seconds prove nothing', ...engine(series(59, stuck, stuck, stuck)) },
    {
      why: 'the rate is unknown',
      ...engine(series(60, ...Array.from({ length: 5 }, () => ({ ...stuck, gen_tokens_s: null })))),
    },
    {
      why: 'the newest sample is too old to speak of now',
      ...engine(series(60, stuck, stuck, stuck, stuck)),
      context: { now_unix: 10_301 },
    },
    {
      why: 'the first requests of an engine compile for a long time',
      ...engine(series(600, stuck, stuck, stuck, stuck), { ever_generated: false }),
    },
    {
      why: 'whether it ever generated is unknown',
      ...engine(series(600, stuck, stuck, stuck), { ever_generated: null }),
    },
    { why: 'samples of odd shape', ...engine([null, 5, { unix: 'now' }, { waiting: 3 }]) },
  ],
  invalid: [
    {
      why: 'requests wait and nothing is generated for two minutes',
      ...engine(
        series(
          60,
          working,
          stuck,
          { ...stuck, prompt_tokens_s: null },
          { ...stuck, waiting: 15, running: null },
        ),
      ),
      symptoms: [
        {
          name: hang,
          severity: 'medium',
          subject: { log: 'server_logs/server.log' },
          source: 'local',
          evidence: {
            log: 'server_logs/server.log',
            engine: 'vllm',
            span_s: 120,
            samples: 3,
            waiting: 15,
            running: null,
            threshold_s: 120,
          },
          summaryMentions: ['server_logs/server.log', '3 samples', '120 s', '15 requests'],
        },
      ],
    },
    {
      why: 'the newest sample is just recent enough',
      ...engine(series(60, stuck, stuck, stuck)),
      context: { now_unix: 10_300 },
      symptoms: [hang],
    },
    {
      why: 'samples before one without a time are not counted',
      ...engine([{ ...stuck, unix: null }, ...series(60, stuck, stuck, stuck)]),
      symptoms: [{ name: hang, evidenceWith: { samples: 3 } }],
    },
    {
      why: 'ten minutes are urgent',
      ...engine(series(300, stuck, stuck, stuck)),
      symptoms: [{ name: hang, severity: 'high', evidenceWith: { span_s: 600 } }],
    },
    {
      why: 'an engine that never generated and has compiled for an hour',
      ...engine(series(1800, stuck, stuck, stuck), { ever_generated: false }),
      symptoms: [{ name: hang, severity: 'high', evidenceWith: { threshold_s: 3600 } }],
    },
    {
      why: 'a shorter grace leaves the usual limit for high',
      ...engine(series(100, stuck, stuck, stuck, stuck), { ever_generated: false }),
      config: { server_loading_grace_s: 200 },
      symptoms: [{ name: hang, severity: 'medium', evidenceWith: { threshold_s: 200, span_s: 300 } }],
    },
    {
      why: 'each engine is judged for itself',
      snapshot: {
        local_engine: [
          { log: 'a', ever_generated: true, samples: series(60, stuck, stuck, stuck) },
          { log: 'b', ever_generated: true, samples: series(60, working, working, working) },
          { log: 'c', ever_generated: true, samples: series(60, stuck, stuck, stuck) },
        ],
      },
      symptoms: [
        { name: hang, subject: { log: 'a' } },
        { name: hang, subject: { log: 'c' } },
      ],
    },
  ],
});
