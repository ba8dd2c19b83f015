import { finiteNumber, type Json, type JsonObject, objectsOf } from '../../foreign/json.js';
import { pythonText } from '../../foreign/python-text.js';
import { truncate } from '../../foreign/round.js';
import { defineRule } from '../rule.js';
import { aboutAgent } from '../shared/explain.js';
import type { Symptom } from '../symptom.js';
import { serverFields } from './local_health/config.js';

interface HangLimits {
  readonly minSamples: number;
  readonly minSpanS: number;
  readonly highSpanS: number;
  /** Until an engine has generated once, its first requests compile: so long they may take, s. */
  readonly loadingGraceS: number;
  readonly maxAgeS: number;
  readonly nowUnix: number;
}

/** When an engine answers its health checks but generates nothing although requests wait (spec 04 §11). */
export const engineProgress = defineRule({
  name: 'engine_progress',
  configSlot: 'engine_progress',
  needs: ['logs', 'processes'],
  symptoms: {
    engine_hang: {
      severities: ['medium', 'high'],
      subjectKeys: ['log'],
      nature: 'state',
      meaning:
        'Requests wait in an engine that has generated no token in several samples, whatever its health check says.',
      action: 'Take a stack dump of the engine before anything restarts it, then restart it.',
      explains: [{ row: 9, explains: ['agent_stall'], when: aboutAgent('orchestration') }],
    },
  },
  config: {
    engine_hang_min_samples: {
      type: 'integer',
      unit: 'samples',
      default: 3,
      doc: 'Samples in a row with waiting requests and no tokens before it is reported.',
    },
    engine_hang_min_s: {
      type: 'number',
      unit: 's',
      default: 120,
      doc: 'Time that these samples must span once the engine has generated.',
    },
    engine_hang_high_s: {
      type: 'number',
      unit: 's',
      default: 600,
      doc: 'Span from which on it is high.',
    },
    engine_hang_max_age_s: {
      type: 'number',
      unit: 's',
      default: 300,
      doc: 'Samples whose newest one is older say nothing about now.',
    },
    server_loading_grace_s: serverFields.server_loading_grace_s,
  },
  evaluate({ context, snapshot, config }) {
    const limits: HangLimits = {
      minSamples: config.engine_hang_min_samples,
      minSpanS: config.engine_hang_min_s,
      highSpanS: config.engine_hang_high_s,
      loadingGraceS: config.server_loading_grace_s,
      maxAgeS: config.engine_hang_max_age_s,
      nowUnix: context.now_unix,
    };
    return { symptoms: objectsOf(snapshot.local_engine).flatMap((engine) => hang(engine, limits) ?? []) };
  },
});

interface Sample {
  readonly unix: number;
  readonly waiting: number;
  readonly running: number | null;
}

function hang(engine: JsonObject, limits: HangLimits): Symptom | undefined {
  const stuck = stuckSamples(engine['samples']);
  const [oldest] = stuck;
  const newest = stuck.at(-1);
  if (!oldest || !newest || stuck.length < limits.minSamples) return undefined;
  if (limits.nowUnix - newest.unix > limits.maxAgeS) return undefined;
  const everGenerated = engine['ever_generated'] === true;
  const minSpanS = everGenerated ? limits.minSpanS : limits.loadingGraceS;
  const highSpanS = everGenerated ? limits.highSpanS : Math.max(limits.highSpanS, limits.loadingGraceS);
  const spanS = newest.unix - oldest.unix;
  if (spanS < minSpanS) return undefined;
  const log = pythonText(engine['log'] ?? '');
  return {
    name: 'engine_hang',
    severity: spanS >= highSpanS ? 'high' : 'medium',
    subject: { log },
    source: 'local',
    summary:
      `The engine of ${log} has generated nothing in ${stuck.length} samples over ${spanS.toFixed(0)} s ` +
      `while ${newest.waiting} requests wait`,
    suggestion:
      'Take a stack dump of the engine processes before anything restarts them; a passing health check proves nothing here.',
    evidence: {
      log,
      engine: engine['engine'] ?? null,
      span_s: truncate(spanS),
      samples: stuck.length,
      waiting: newest.waiting,
      running: newest.running,
      threshold_s: minSpanS,
    },
  };
}

/** The samples at the end of the list in which requests waited and no token moved, oldest first. */
function stuckSamples(samples: Json | undefined): Sample[] {
  const stuck: Sample[] = [];
  for (const sample of objectsOf(samples).toReversed()) {
    const unix = finiteNumber(sample['unix']);
    const waiting = finiteNumber(sample['waiting']);
    if (unix === undefined || waiting === undefined || waiting <= 0 || !isSilent(sample)) break;
    stuck.push({ unix, waiting, running: finiteNumber(sample['running']) ?? null });
  }
  return stuck.reverse();
}

function isSilent(sample: JsonObject): boolean {
  const prompt = sample['prompt_tokens_s'] ?? null;
  return sample['gen_tokens_s'] === 0 && (prompt === null || prompt === 0);
}
