import { cutCodePoints, outgoingLine } from '../../foreign/hygiene.js';
import { isObject, parseJson } from '../../foreign/json.js';
import { targetsIncident } from '../actions/catalogue.js';
import type { Incident } from '../incidents/incident.js';
import type { ActionSpec } from '../types.js';

/** What a model's reply comes to. */
export type Choice =
  | { readonly kind: 'action'; readonly action_id: string; readonly rationale: string }
  | { readonly kind: 'none'; readonly rationale: string }
  | { readonly kind: 'unusable'; readonly reason: string };

const MAX_RATIONALE = 400;
const NO_RATIONALE = 'No reason was given.';
const FENCE = /^```[a-zA-Z]*\s*\n([\s\S]*?)\n?```$/;

/**
 * Reads a reply: one JSON object, also inside a code fence, whose action is in the catalogue and meant for the incident
 * (spec 06 B.4, E.21).
 */
export function readReply(text: string, incident: Incident, actions: readonly ActionSpec[]): Choice {
  const trimmed = text.trim();
  const parsed = parseJson(FENCE.exec(trimmed)?.[1] ?? trimmed);
  if (!parsed.ok || !isObject(parsed.value))
    return { kind: 'unusable', reason: 'the reply is no JSON object' };
  const { action_id: id, rationale } = parsed.value;
  const reason = rationaleOf(rationale);
  if (id === undefined || id === null || id === 'none') return { kind: 'none', rationale: reason };
  const action = actions.find((one) => one.action_id === id);
  if (action === undefined) return { kind: 'unusable', reason: `${shown(id)} is not in the catalogue` };
  if (!targetsIncident(action, incident)) {
    return {
      kind: 'unusable',
      reason: `${action.action_id} is not meant for ${incident.failure_classification}`,
    };
  }
  return { kind: 'action', action_id: action.action_id, rationale: reason };
}

function rationaleOf(value: unknown): string {
  const text = typeof value === 'string' ? cutCodePoints(outgoingLine(value).trim(), MAX_RATIONALE) : '';
  return text === '' ? NO_RATIONALE : text;
}

function shown(value: unknown): string {
  return cutCodePoints(outgoingLine(JSON.stringify(value) ?? 'nothing'), 60);
}
