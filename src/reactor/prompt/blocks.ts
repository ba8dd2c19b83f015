import { PY_SPACE, trimPython } from '../../foreign/python-space.js';
import type { ConversationProgress, PhaseBudgetRow } from '../context.js';

const S = `[${PY_SPACE}]`;
const NUMBER = '(-?\\d+(?:\\.\\d+)?)';

/** The phase name, upper case; empty without one (spec 01 §2.3). */
export function parsePhase(lines: readonly string[]): string {
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 0 || trimPython(line.slice(0, colon)) !== 'phase') continue;
    return trimPython(line.slice(colon + 1)).toUpperCase();
  }
  return '';
}

export interface TimeBudget {
  readonly elapsed_minutes: number;
  readonly remaining_minutes: number;
  readonly budget_minutes: number;
  readonly closing_phase: boolean;
}

const TIME_BUDGET = new RegExp(
  `^${S}*elapsed=${NUMBER}min${S}+remaining=${NUMBER}min${S}+budget=${NUMBER}min${S}+closing_phase=(True|False)${S}*$`,
  'u',
);

/** The time budget, minutes; zeros and not closing without one (spec 01 §2.4). */
export function parseTimeBudget(lines: readonly string[]): TimeBudget {
  for (const line of lines) {
    const match = TIME_BUDGET.exec(line);
    if (!match) continue;
    return {
      elapsed_minutes: finite(match[1]),
      remaining_minutes: finite(match[2]),
      budget_minutes: finite(match[3]),
      closing_phase: match[4] === 'True',
    };
  }
  return { elapsed_minutes: 0, remaining_minutes: 0, budget_minutes: 0, closing_phase: false };
}

const PHASE_ROW = new RegExp(
  `^${S}+([A-Z_]+):${S}+elapsed=(\\d+)s${S}+cap=(?:(\\d+)s|unlimited)${S}+used=${NUMBER}%${S}*$`,
  'u',
);

/** The rows of the phase budget telemetry, seconds and percent (spec 01 §2.6). */
export function parsePhaseBudget(lines: readonly string[]): PhaseBudgetRow[] {
  const rows: PhaseBudgetRow[] = [];
  for (const line of lines) {
    const match = PHASE_ROW.exec(line);
    if (!match) continue;
    rows.push({
      phase: match[1] ?? '',
      elapsed_sec: finite(match[2]),
      cap_sec: match[3] === undefined ? -1 : finite(match[3]),
      used_pct: finite(match[4]),
    });
  }
  return rows;
}

const PROGRESS = new RegExp(
  `^${S}*ticks_without_progress=(\\d+)${S}+threshold=(\\d+)${S}+severity=([^${PY_SPACE}]+)${S}+last_progress_tick=(\\d+)${S}*$`,
  'u',
);

/** The conversation progress line, ticks; null without one (spec 01 §2.7). */
export function parseConversationProgress(lines: readonly string[]): ConversationProgress | null {
  for (const line of lines) {
    const match = PROGRESS.exec(line);
    if (!match) continue;
    return {
      ticks_without_progress: finite(match[1]),
      threshold: finite(match[2]),
      severity: (match[3] ?? '').toLowerCase(),
      last_progress_tick: finite(match[4]),
    };
  }
  return null;
}

/** The digits matched, as a number; digits beyond the range of a double count as 0, the field's default. */
function finite(digits: string | undefined): number {
  const value = Number(digits);
  return Number.isFinite(value) ? value : 0;
}
