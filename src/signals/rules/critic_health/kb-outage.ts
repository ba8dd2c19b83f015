import { isObject, type Json, type JsonObject, listOr } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Symptom } from '../../symptom.js';
import { isOldTurn, type TurnAge } from './turn-age.js';

const LISTED_TURNS = 5;

export interface KbOutageLimits extends TurnAge {
  readonly minTurns: number;
}

/** The knowledge base could not be reached in the critic's last turns (spec 04 §6, critic_health-3). */
export function kbOutage(critic: JsonObject, limits: KbOutageLimits): Symptom | undefined {
  const turns = unreachableTurns(critic['recent_judges'], limits);
  if (turns.length === 0 || turns.length < limits.minTurns) return undefined;
  return {
    name: 'critic_kb_outage',
    severity: 'high',
    subject: {},
    source: 'local',
    summary:
      `The critic could not reach its knowledge base in ${turns.length} turns in a row (limit ${limits.minTurns}): ` +
      'its verdicts are given without recall',
    suggestion: 'Check the knowledge base service, or use the in-memory knowledge base or the mock critic.',
    evidence: {
      consecutive_judges: turns.length,
      threshold: limits.minTurns,
      recent_turn_dirs: turns
        .slice(0, LISTED_TURNS)
        .map(({ turn_dir: dir }) => (isTruthy(dir) ? pythonText(dir) : '')),
      workdir_root: critic['workdir_root'] ?? null,
    },
  };
}

/**
 * Turns that found it unreachable, newest first, up to the first one that read it or is no object. Turns that skipped it
 * for another reason, and turns too old to matter, neither count nor end the walk.
 */
function unreachableTurns(judges: Json | undefined, limits: KbOutageLimits): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const judge of listOr(judges)) {
    if (!isObject(judge)) break;
    if (isOldTurn(judge, limits)) continue;
    const reason = judge['kb_read_skipped_reason'];
    if (reason === null || reason === undefined) break;
    if (typeof reason === 'string' && reason.trim() === '') break;
    if (reason === 'kb_unreachable') turns.push(judge);
  }
  return turns;
}
