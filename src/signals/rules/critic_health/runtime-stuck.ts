import { cutCodePoints } from '../../../foreign/hygiene.js';
import { type Json, objectsOf, text } from '../../../foreign/json.js';
import { wholeWords } from '../../../foreign/word.js';
import type { Symptom } from '../../symptom.js';

const MARKER = 'runtime.cli';
const TIMED_OUT = 'timed out';
const CRITIC = wholeWords('critic');
const LISTED_LINES = 3;
const LINE_LENGTH = 200;

/** New log lines say that the critic's own runtime timed out, not that of another agent (spec 04 critic_health-4). */
export function runtimeStuck(logErrors: Json): Symptom | undefined {
  const lines = objectsOf(logErrors)
    .filter((entry) => entry['new'] !== false)
    .flatMap((entry) => text(entry['line']) ?? [])
    .filter(isCriticTimeout);
  if (lines.length === 0) return undefined;
  return {
    name: 'critic_runtime_stuck',
    severity: 'high',
    subject: {},
    source: 'local',
    summary: `The critic's runtime timed out in ${lines.length} log lines: every tick pays for the time-out`,
    suggestion: 'Use the mock critic and check the completion endpoint.',
    evidence: {
      hit_count: lines.length,
      samples: lines.slice(0, LISTED_LINES).map((line) => cutCodePoints(line, LINE_LENGTH)),
    },
  };
}

function isCriticTimeout(line: string): boolean {
  const lower = line.toLowerCase();
  return lower.includes(MARKER) && lower.includes(TIMED_OUT) && CRITIC.test(line);
}
