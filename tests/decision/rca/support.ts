import { type RcaConfig, rcaFields } from '../../../src/decision/rca/config.js';
import { createRcaEngine } from '../../../src/decision/rca/engine.js';
import type {
  RcaEngine,
  RcaEngineOptions,
  RcaLog,
  RcaQuestion,
} from '../../../src/decision/rca/rca-engine.js';
import type { VocabularyEntry } from '../../../src/decision/rca/system-prompt.js';
import { defaultsOf } from '../../../src/foreign/config-field.js';
import { type Deadline, deadlineIn } from '../../../src/llm/deadline.js';
import type { Symptom } from '../../../src/signals/symptom.js';

export const VOCABULARY: readonly VocabularyEntry[] = [
  { symptom: 'a_high', family: 'resource leaks', meaning: 'A leaks.', action: 'Free A.' },
  { symptom: 'b_high', family: 'loops', meaning: 'B loops.', action: 'Stop B.' },
  { symptom: 'c_med', family: 'resource leaks', meaning: 'C leaks.', action: 'Free C.' },
];

export function symptom(name: string, more: Partial<Symptom> = {}): Symptom {
  return {
    name,
    severity: 'high',
    summary: 'disk 97 % full',
    evidence: { used_pct: 97 },
    subject: {},
    source: 'local',
    suggestion: '',
    ...more,
  };
}

export function ask(name: string, more: Partial<Symptom> = {}, isDestructive = false): RcaQuestion {
  return { symptom: symptom(name, more), isDestructive };
}

export function config(more: Partial<RcaConfig> = {}): RcaConfig {
  return { ...defaultsOf(rcaFields), ...more };
}

export interface NotedLog extends RcaLog {
  readonly lines: string[];
}

export function notedLog(): NotedLog {
  const lines: string[] = [];
  const note =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  return { lines, info: note('info'), warn: note('warn') };
}

/** An engine with the test vocabulary, an empty slot and a log that nobody reads, unless the options say otherwise. */
export function engineWith(more: Partial<RcaEngineOptions>): RcaEngine {
  return createRcaEngine({
    config: config(),
    env: {},
    slot: {},
    vocabulary: VOCABULARY,
    log: notedLog(),
    ...more,
  });
}

export function tickDeadline(): Deadline {
  return deadlineIn(20_000);
}
