import { finiteNumber, type Json, objectOr, text } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { roundHalfEven } from '../../../foreign/round.js';
import { scalarText } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';
import type { FdConfig } from './config.js';

/** The Coordinator runs out of file descriptors (spec 03 §8.6, local_health-11). */
export function scarceDescriptors(fd: Json, config: FdConfig): Symptom | undefined {
  const slot = objectOr(fd);
  const usedPct = finiteNumber(slot['used_pct']);
  if (usedPct === undefined) return undefined;
  const isHigh = usedPct >= config.fd_crit_used_pct;
  if (!isHigh && usedPct < config.fd_warn_used_pct) return undefined;
  const pid = isTruthy(slot['pid']) ? (scalarText(slot['pid']) ?? '') : '';
  const target = text(slot['target']);
  return {
    name: 'fd_pressure',
    severity: isHigh ? 'high' : 'medium',
    summary:
      `Process ${pid || '(unknown)'} uses ${roundHalfEven(usedPct, 1)} % of its file descriptors: ` +
      `${scalarText(slot['used']) ?? '?'} of ${scalarText(slot['limit']) ?? '?'}`,
    evidence: {
      pid: slot['pid'] ?? null,
      used: slot['used'] ?? null,
      limit: slot['limit'] ?? null,
      used_pct: usedPct,
      warn_pct: config.fd_warn_used_pct,
      crit_pct: config.fd_crit_used_pct,
      ...(target !== undefined && { target }),
    },
    subject: { pid },
    source: 'local',
    suggestion: isHigh
      ? 'Change the strategy: descriptors leak; restart the Coordinator with resume.'
      : 'Keep watching; a later agent stall is probably caused by this.',
  };
}
