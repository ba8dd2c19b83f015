import { cutCodePoints } from '../../foreign/hygiene.js';
import { type JsonObject, nonBlank } from '../../foreign/json.js';
import { pythonText } from '../../foreign/python-text.js';
import { unixSeconds } from '../../foreign/timestamps.js';
import type { BusRow } from '../bus.js';
import { defineRule } from '../rule.js';
import { payloadOf, topicOf } from '../shared/bus-row.js';
import { explainerAbout, sameSubject } from '../shared/explain.js';
import type { Symptom } from '../symptom.js';

const KEY_LENGTH = 120;
const REASON_LENGTH = 240;

/** When an agent repeats an intent that the policy keeps denying for the same reason (spec 04 §11). */
export const denials = defineRule({
  name: 'denials',
  configSlot: 'denials',
  needs: ['events'],
  symptoms: {
    denial_streak: {
      severities: ['medium', 'high'],
      subjectKeys: ['agent', 'rule'],
      nature: 'event',
      meaning:
        'The policy denies an agent the same intent for the same reason again and again, and nothing in between worked.',
      action: 'Tell the agent what the rule asks for, or correct its prompt or role configuration.',
      explains: [
        { row: 19, explains: ['repeated_policy_denied'], when: sameSubject('agent') },
        { row: 19, explains: ['conversation_no_progress'], when: explainerAbout('orchestration') },
      ],
    },
  },
  config: {
    denial_streak_min: {
      type: 'integer',
      unit: 'denials',
      default: 5,
      doc: 'Equal denials in a row before they are reported.',
    },
    denial_streak_high: {
      type: 'integer',
      unit: 'denials',
      default: 15,
      doc: 'From here on they are high.',
    },
  },
  evaluate({ bus, config }) {
    const streaks = denialStreaks(bus.eventsFirst);
    const limits = { min: config.denial_streak_min, high: config.denial_streak_high };
    return { symptoms: streaks.flatMap((streak) => streakSymptom(streak, limits) ?? []) };
  },
});

interface Streak {
  readonly agent: string;
  readonly key: string;
  /** Denials, newest first. */
  readonly rows: BusRow[];
}

/** Per agent the equal denials at the end of the list, agents in the order of their newest denial. */
function denialStreaks(rows: readonly BusRow[]): Streak[] {
  const streaks = new Map<string, Streak>();
  const done = new Set<string>();
  for (const row of rows.toReversed()) {
    const payload = payloadOf(row);
    if (!payload) continue;
    const accepted = acceptedAgent(row, payload);
    if (accepted !== undefined) done.add(accepted);
    const agent = deniedAgent(row, payload);
    if (agent === undefined || done.has(agent)) continue;
    const key = denialKey(payload);
    const streak = streaks.get(agent);
    if (!streak) streaks.set(agent, { agent, key, rows: [row] });
    else if (streak.key === key) streak.rows.push(row);
    else done.add(agent);
  }
  return [...streaks.values()];
}

function deniedAgent(row: BusRow, payload: JsonObject): string | undefined {
  if (topicOf(row) !== 'observation' || payload['kind'] !== 'policy_denied') return undefined;
  const agent = nonBlank(row.row['to_agent']);
  return agent === '*' ? undefined : agent;
}

/** The agent whose intent was accepted, by which a streak of denials ends. */
function acceptedAgent(row: BusRow, payload: JsonObject): string | undefined {
  if (topicOf(row) !== 'event' || payload['kind'] !== 'task_queued') return undefined;
  return nonBlank(payload['source']);
}

function denialKey(payload: JsonObject): string {
  const parts = [payload['intent_type'], payload['rule']].map((part) => pythonText(part ?? ''));
  return JSON.stringify([...parts, normalisedReason(pythonText(payload['reason'] ?? ''))]);
}

/** A reason without what differs from one denial to the next: quoted texts, ids and numbers. */
export function normalisedReason(reason: string): string {
  const plain = reason
    .toLowerCase()
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '#')
    .replace(/[0-9a-f]{6,}/g, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ');
  return cutCodePoints(plain, KEY_LENGTH);
}

function streakSymptom(
  { agent, rows }: Streak,
  limits: { readonly min: number; readonly high: number },
): Symptom | undefined {
  const newest = rows[0];
  const count = rows.length;
  if (!newest || (count < limits.min && count < limits.high)) return undefined;
  const payload = payloadOf(newest) ?? {};
  const isHigh = count >= limits.high;
  const rule = pythonText(payload['rule'] ?? 'unknown');
  const intent = pythonText(payload['intent_type'] ?? 'unknown');
  const threshold = isHigh ? limits.high : limits.min;
  return {
    name: 'denial_streak',
    severity: isHigh ? 'high' : 'medium',
    subject: { agent, rule },
    source: 'coordinator_events',
    summary: `${agent} was denied ${intent} ${count} times in a row by rule ${rule} for the same reason (limit ${threshold})`,
    suggestion: `Tell ${agent} what rule ${rule} asks for, or correct its prompt or role configuration; repeating cannot help.`,
    evidence: {
      agent,
      intent_type: payload['intent_type'] ?? null,
      rule: payload['rule'] ?? null,
      reason: cutCodePoints(pythonText(payload['reason'] ?? ''), REASON_LENGTH),
      count,
      first_unix: unixSeconds(rows.at(-1)?.row['ts']) ?? null,
      last_unix: unixSeconds(newest.row['ts']) ?? null,
      threshold,
    },
  };
}
