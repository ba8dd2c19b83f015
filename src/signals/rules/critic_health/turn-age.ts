import { finiteNumber, type JsonObject } from '../../../foreign/json.js';

export interface TurnAge {
  /** Older turns say nothing about now, s. */
  readonly maxTurnAgeS: number;
  readonly nowUnix: number;
}

/** True for a turn that is known to be too old; an idle critic must not keep an old trouble alive (critic_health-3). */
export function isOldTurn(turn: JsonObject, { maxTurnAgeS, nowUnix }: TurnAge): boolean {
  const mtime = finiteNumber(turn['mtime']);
  return mtime !== undefined && nowUnix - mtime > maxTurnAgeS;
}
