import type { Json, JsonObject } from '../foreign/json.js';
import { SEVERITIES } from './vocabulary.js';

/** One wire intent (spec 01 §3); the type may be anything until the guard has seen it. */
export type Intent = { readonly intent_type: string; readonly payload: JsonObject };

/** An intent, or why it cannot be built. */
export type Built =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly message: string };

const LIVENESS = 'robustness agent: alive, nothing new to report';

/** Tells the host that the agent is alive and has nothing to say. */
export function heartbeat(): Intent {
  return { intent_type: 'send_message', payload: { topic: 'heartbeat', body_md: LIVENESS } };
}

export interface MessageParts {
  readonly topic: string;
  /** May be empty; absent leaves the key out. */
  readonly body_md?: string;
  /** Recipient; empty or absent = everybody. */
  readonly to?: string;
  /** Further keys; one named `topic` is ignored, others overwrite. */
  readonly extras?: JsonObject;
}

/** A message on the bus (spec 01 §3.2). */
export function sendMessage({ topic, body_md, to, extras = {} }: MessageParts): Intent {
  const { topic: _ignored, ...rest } = extras;
  const payload: Record<string, Json | undefined> = { topic };
  if (body_md !== undefined) payload['body_md'] = body_md;
  if (to !== undefined && to !== '') payload['to'] = to;
  return { intent_type: 'send_message', payload: { ...payload, ...rest } };
}

/** An alert; refused for an unknown severity or an empty summary. */
export function alert(parts: { severity: string; summary: string; detail?: JsonObject }): Built {
  const { severity, summary, detail } = parts;
  if (!isSeverity(severity)) return refused(`alert severity ${severity}`);
  if (summary === '') return refused('alert without a summary');
  return built('alert', { severity, summary, ...(detail === undefined ? {} : { detail }) });
}

/** Advice to change strategy; refused when a part is empty or the severity unknown. */
export function escalateStrategyChange(parts: {
  reason: string;
  next_action_hint: string;
  severity?: string;
}): Built {
  const { reason, next_action_hint, severity = 'medium' } = parts;
  if (reason === '') return refused('escalation without a reason');
  if (next_action_hint === '') return refused('escalation without a hint');
  if (!isSeverity(severity)) return refused(`escalation severity ${severity}`);
  return built('escalate_strategy_change', { reason, next_action_hint, severity });
}

/** Takes a family of actions off the table; refused when a part is empty. */
export function pruneBranch(parts: { family: string; reason: string }): Built {
  const { family, reason } = parts;
  if (family === '') return refused('prune without a family');
  if (reason === '') return refused('prune without a reason');
  return built('prune_branch', { family, reason });
}

/** Asks the host to run `recover`, the only action that this role may delegate. */
export function delegateRecover(parts: { params?: JsonObject; idempotency_key?: string }): Intent {
  const { params, idempotency_key = '' } = parts;
  const payload: Record<string, Json | undefined> = { action_name: 'recover' };
  if (params !== undefined) payload['params'] = params;
  if (idempotency_key !== '') payload['idempotency_key'] = idempotency_key;
  return { intent_type: 'delegate', payload };
}

/** Writes the state fields that this role owns; refused when there is nothing to write. */
export function updateState(changes: { crash_count?: Json; current_action?: Json }): Built {
  const { crash_count, current_action } = changes;
  const known = {
    ...(crash_count === undefined ? {} : { crash_count }),
    ...(current_action === undefined ? {} : { current_action }),
  };
  if (Object.keys(known).length < Object.keys(changes).length)
    return refused('update of a field that is not ours');
  if (Object.keys(known).length === 0) return refused('update without changes');
  return built('update_state', { changes: known });
}

function isSeverity(value: string): boolean {
  return SEVERITIES.some((severity) => severity === value);
}

function built(intent_type: string, payload: JsonObject): Built {
  return { ok: true, intent: { intent_type, payload } };
}

function refused(message: string): Built {
  return { ok: false, message };
}
