import type { Bus, BusEvent } from './bus.js';
import type { Finding, HardIntent } from './finding.js';

/** Whether a hard intent was carried out (spec 06 F.10). */
export interface ActedOn {
  /** `assumed` without a database; `unknown` when the database has no trace of it. */
  readonly state: 'executed' | 'denied' | 'not_executed' | 'pending' | 'unknown' | 'assumed';
  /** Bus row of a prune, from which later events count. */
  readonly seq: number | null;
  /** A prune that later work of the family ignored. */
  readonly honoured: boolean | null;
  /** Queued tasks that a prune cancelled. */
  readonly cancelled: number;
}

const CLOCK_SLACK_S = 1;
const DENIAL_WINDOW_S = 60;
const IGNORED_PRUNE = new Set(['delegate_pruned_advisory', 'proposal_pruned_advisory']);

/** Follows a hard intent through the session database. */
export function actedOn(finding: Finding, intent: HardIntent, bus: Bus): ActedOn {
  const nothing = { seq: null, honoured: null, cancelled: 0 } as const;
  if (!bus.ok) return { state: 'assumed', ...nothing };
  const done =
    intent.intent_type === 'prune_branch'
      ? pruneTrace(finding, intent.family, bus)
      : delegateTrace(intent, bus);
  if (done !== null) return done;
  return { state: wasDenied(finding, intent, bus.events) ? 'denied' : 'unknown', ...nothing };
}

type OpenBus = Extract<Bus, { ok: true }>;

function pruneTrace(finding: Finding, family: string, bus: OpenBus): ActedOn | null {
  const prune = bus.events.find(
    (event) =>
      event.from_agent === 'robustness' &&
      event.topic === 'event' &&
      event.kind === 'prune_branch' &&
      event.family === family &&
      event.timestamp >= finding.timestamp - CLOCK_SLACK_S,
  );
  if (prune === undefined) return null;
  const advised = bus.events.some(
    (event) =>
      event.seq > prune.seq &&
      event.topic === 'observation' &&
      IGNORED_PRUNE.has(event.kind) &&
      event.action === family,
  );
  const laterTask = bus.tasks.some((task) => task.kind === family && task.created > prune.timestamp);
  return { state: 'executed', seq: prune.seq, honoured: !advised && !laterTask, cancelled: prune.cancelled };
}

function delegateTrace(
  intent: Extract<HardIntent, { intent_type: 'delegate' }>,
  bus: OpenBus,
): ActedOn | null {
  const { idempotency_key: key } = intent;
  if (key === '') return null;
  const attempts = bus.tasks.filter(
    (task) => task.idempotency_key === key || /^-retry\d+$/.test(retrySuffix(task.idempotency_key, key)),
  );
  if (attempts.length === 0) return null;
  const base = { seq: null, honoured: null, cancelled: 0 } as const;
  if (attempts.some((task) => task.state === 'succeeded' || task.state === 'failed'))
    return { state: 'executed', ...base };
  const open = attempts.some((task) => task.state === 'queued' || task.state === 'running');
  return { state: open ? 'pending' : 'not_executed', ...base };
}

function retrySuffix(candidate: string, key: string): string {
  return candidate.startsWith(key) ? candidate.slice(key.length) : '';
}

function wasDenied(finding: Finding, intent: HardIntent, events: readonly BusEvent[]): boolean {
  return events.some(
    (event) =>
      event.topic === 'observation' &&
      event.to_agent === 'robustness' &&
      event.kind === 'policy_denied' &&
      event.intent_type === intent.intent_type &&
      event.timestamp >= finding.timestamp - CLOCK_SLACK_S &&
      event.timestamp <= finding.timestamp + DENIAL_WINDOW_S,
  );
}
