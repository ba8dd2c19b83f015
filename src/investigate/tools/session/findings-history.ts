import type { JsonObject } from '../../../foreign/json.js';
import { findingsFiles, readFindings } from '../../../reactor/findings/read-findings.js';
import { numberOf, optionalNumber, optionalString } from '../arguments.js';
import type { Tool } from '../tool.js';
import type { SessionFiles } from './session.js';

/** `findings_history` (spec 07 B4.2): what was said before, never evidence. */
export function findingsHistory({ root, sessionId }: SessionFiles): Tool {
  return {
    name: 'findings_history',
    capability: 'session',
    family: 'session',
    description: 'Earlier findings of the robustness agent. They are conclusions, never evidence.',
    parameters: {
      symptom: { type: 'string', optional: true, doc: 'only this symptom' },
      since_unix: { type: 'number', optional: true, doc: 'unix seconds' },
      limit: { type: 'integer', default: 50, minimum: 1, maximum: 200, doc: 'findings, newest first' },
    },
    async run(args) {
      const [symptom, since] = [optionalString(args, 'symptom'), optionalNumber(args, 'since_unix') ?? 0];
      const limit = numberOf(args, 'limit', 50);
      const counts: Record<string, number> = {};
      const kept: JsonObject[] = [];
      for await (const line of readFindings(findingsFiles(root, sessionId))) {
        if (!line.ok || line.finding.timestamp_unix < since) continue;
        const { intents: _, ...rest } = line.finding;
        if (symptom !== undefined && rest.symptom_name !== symptom) continue;
        counts[rest.symptom_name] = (counts[rest.symptom_name] ?? 0) + 1;
        kept.push(rest);
        if (kept.length > limit) kept.shift();
      }
      const findings = kept.reverse();
      return {
        status: findings.length === 0 ? 'empty' : 'ok',
        cls: 'derived',
        data: { findings, counts },
        count: findings.length,
      };
    },
  };
}
