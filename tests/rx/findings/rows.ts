import {
  type Finding,
  type Presence,
  parseFinding,
  parsePresence,
} from '../../../src/rx/findings/finding.js';
import { sessionKey } from '../../../src/rx/findings/key.js';
import { type LabelledSession, labelSession } from '../../../src/rx/findings/labelled-episode.js';

export type Hard = 'prune_branch' | 'delegate';

/** What a test says of a finding; the rest is filled in. */
export interface FindingPatch {
  readonly severity?: 'low' | 'medium' | 'high';
  readonly hard?: Hard;
  readonly silence?: number;
  readonly explains?: readonly unknown[];
  readonly time?: number;
  readonly holdback?: unknown;
}

/** A finding as the sink writes it, read back through the parser. */
export function finding(
  symptom: string,
  subject: Record<string, string>,
  tick: number,
  patch: FindingPatch = {},
): Finding {
  const { severity = 'medium', hard, silence, explains } = patch;
  const detail = { symptom, severity, subject, ...(explains === undefined ? {} : { explains }) };
  const intents: unknown[] = [{ intent_type: 'alert', payload: { severity, detail } }];
  if (hard === 'prune_branch') {
    intents.push({ intent_type: hard, payload: { family: subject['family'] ?? 'kernel_opt', reason: 'r' } });
  }
  if (hard === 'delegate') {
    intents.push({ intent_type: hard, payload: { action_name: 'recover', idempotency_key: `key-${tick}` } });
  }
  const parsed = parseFinding({
    tick_index: tick,
    timestamp_unix: patch.time ?? tick * 60,
    symptom_name: symptom,
    severity,
    intents,
    evidence: {},
    ...(silence === undefined ? {} : { cooldown_until_tick: tick + silence }),
    ...(patch.holdback === undefined ? {} : { holdback: patch.holdback }),
  });
  if (parsed === null) throw new Error('the test row is no finding');
  return parsed;
}

export function presence(
  tick: number,
  present: readonly string[],
  undecided: readonly string[] = [],
): Presence {
  const parsed = parsePresence({
    tick_index: tick,
    timestamp_unix: tick * 60,
    present,
    muted: {},
    undecided,
  });
  if (parsed === null) throw new Error('the test row is no presence line');
  return parsed;
}

export const key = sessionKey;

/** A session without a database. */
export function session(
  name: string,
  findings: readonly Finding[],
  lastTick: number | null,
  presenceLines: readonly Presence[] = [],
  database = '/nonexistent/coordinator.db',
): Promise<LabelledSession> {
  return labelSession({
    session_id: name,
    directory: name,
    findings,
    presence: presenceLines,
    state_tick: lastTick,
    torn_lines: 0,
    database,
  });
}
