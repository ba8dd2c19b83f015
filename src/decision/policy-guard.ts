import { isObject, type Json, type JsonObject, nonBlank } from '../foreign/json.js';
import { escapingPath } from './guard/path-containment.js';
import type { Intent } from './intents.js';
import {
  CLOSING_INTENT_TYPES,
  DELEGATE_ACTIONS,
  type IntentType,
  isRoleIntentType,
  PRUNE_SCOPES,
  protectedStateFields,
  REQUIRED_KEYS,
  SEVERITIES,
  WRITABLE_STATE_FIELDS,
} from './vocabulary.js';

/** What the guard has to know of the session. */
export interface GuardContext {
  readonly closingPhase: boolean;
  /** Absolute. */
  readonly sessionDir: string;
}

/** Why an intent may not go out: the host's rule id, what is wrong, and sometimes what would be right. */
export interface Violation {
  readonly rule: string;
  readonly reason: string;
  readonly hint?: string;
}

/**
 * The first rule that the intent breaks, undefined when it may go out. It holds what the host's gate would deny, so that no
 * doomed intent is sent and no cooldown is spent on it (spec 01 §4.1, §4.2).
 */
export function violationOf(intent: Intent, context: GuardContext): Violation | undefined {
  const { intent_type: type } = intent;
  if (!isRoleIntentType(type)) return { rule: 'role', reason: `this role may not emit ${type}` };
  const payload = isObject(intent.payload) ? intent.payload : {};
  if (context.closingPhase && !CLOSING_INTENT_TYPES.includes(type)) {
    return { rule: 'closing_phase_only_report', reason: `${type} in the closing phase` };
  }
  const missing = REQUIRED_KEYS[type].find((key) => payload[key] === undefined);
  if (missing !== undefined) return { rule: 'payload', reason: `${type} without ${missing}` };
  return PAYLOAD_CHECKS[type](payload) ?? pathViolation(payload, context.sessionDir);
}

const PAYLOAD_CHECKS: Readonly<Record<IntentType, (payload: JsonObject) => Violation | undefined>> = {
  send_message: (payload) => blankKey(payload, 'topic'),
  alert: (payload) => unknownSeverity(payload['severity']) ?? blankKey(payload, 'summary'),
  escalate_strategy_change: (payload) =>
    blankKey(payload, 'reason') ??
    blankKey(payload, 'next_action_hint') ??
    (payload['severity'] == null ? undefined : unknownSeverity(payload['severity'])),
  prune_branch: (payload) =>
    blankKey(payload, 'family') ?? blankKey(payload, 'reason') ?? unknownScope(payload['scope']),
  delegate: (payload) =>
    blankKey(payload, 'action_name') ?? foreignAction(payload) ?? missingEvidence(payload),
  update_state: (payload) => stateViolation(payload['changes']),
};

function blankKey(payload: JsonObject, key: string): Violation | undefined {
  if (nonBlank(payload[key]) !== undefined) return undefined;
  return { rule: 'payload', reason: `${key} is no text or blank` };
}

function isOneOf(value: Json | undefined, allowed: readonly string[]): boolean {
  return typeof value === 'string' && allowed.includes(value);
}

function unknownSeverity(value: Json | undefined): Violation | undefined {
  if (isOneOf(value, SEVERITIES)) return undefined;
  return {
    rule: 'payload',
    reason: 'severity is none of the known ones',
    hint: `one of ${SEVERITIES.join(', ')}`,
  };
}

function unknownScope(value: Json | undefined): Violation | undefined {
  if (value === undefined || isOneOf(value, PRUNE_SCOPES)) return undefined;
  return {
    rule: 'prune_scope',
    reason: 'scope is none of the known ones',
    hint: `one of ${PRUNE_SCOPES.join(', ')}`,
  };
}

function foreignAction(payload: JsonObject): Violation | undefined {
  if (isOneOf(payload['action_name'], DELEGATE_ACTIONS)) return undefined;
  return {
    rule: 'delegate_action',
    reason: `this role may not delegate ${String(payload['action_name'])}`,
    hint: `one of ${DELEGATE_ACTIONS.join(', ')}`,
  };
}

/** The host wants reason and evidence of a recover, at the top level or under `params`. */
function missingEvidence(payload: JsonObject): Violation | undefined {
  const params = isObject(payload['params']) ? payload['params'] : {};
  const given = (key: string): boolean => isGiven(payload[key]) || isGiven(params[key]);
  if (given('reason') && given('evidence')) return undefined;
  return { rule: 'delegate_action_evidence', reason: 'recover without reason and evidence' };
}

function isGiven(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== 0;
}

function stateViolation(changes: Json | undefined): Violation | undefined {
  const fields = isObject(changes) ? Object.keys(changes) : [];
  if (fields.length === 0) return { rule: 'payload', reason: 'changes is no object or empty' };
  const core = fields.find((field) => protectedStateFields().has(field));
  if (core !== undefined) return { rule: 'state_field', reason: `${core} is a core field` };
  const foreign = fields.find((field) => !isOneOf(field, WRITABLE_STATE_FIELDS));
  if (foreign === undefined) return undefined;
  return {
    rule: 'state_field',
    reason: `${foreign} is not ours to write`,
    hint: `one of ${WRITABLE_STATE_FIELDS.join(', ')}`,
  };
}

function pathViolation(payload: JsonObject, sessionDir: string): Violation | undefined {
  const found = escapingPath(payload, sessionDir);
  return found && { rule: found.rule, reason: `${found.key} lies outside the session directory` };
}
