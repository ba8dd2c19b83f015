import type { ActionSpec, Config, KnobValue, Patch } from '../types.js';

/**
 * The patch that an action makes of a configuration (06 B.3, F.8): compute, clamp, round. Null when nothing changes, and
 * when clamping would move the knob against the action's own direction: an action that raises never lowers.
 */
export function patchOf(action: ActionSpec, config: Config): Patch | null {
  const from = config[action.knob];
  if (from === undefined) return null;
  const to = newValue(action, from);
  if (to === null || to === from) return null;
  return { action_id: action.action_id, knob: action.knob, from, to };
}

/** The configuration with the patch applied; the old one is left alone. */
export function applyPatch(config: Config, patch: Patch): Config {
  return { ...config, [patch.knob]: patch.to };
}

/** One string per configuration, the same whatever the order of its keys. */
export function configKey(config: Config): string {
  return JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function newValue(action: ActionSpec, from: KnobValue): KnobValue | null {
  if (action.op === 'set' && typeof action.value !== 'number') return action.value;
  if (typeof from !== 'number' || typeof action.value !== 'number') return null;
  const wanted = compute(action.op, from, action.value);
  const to = roundTo(clamp(wanted, action.min, action.max), action.round_decimals);
  if (!Number.isFinite(to)) return null;
  const against = action.op !== 'set' && Math.sign(to - from) * Math.sign(wanted - from) < 0;
  return against ? null : to;
}

function compute(op: ActionSpec['op'], from: number, value: number): number {
  if (op === 'set') return value;
  return op === 'add' ? from + value : from * value;
}

function clamp(value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): number {
  return Math.min(max, Math.max(min, value));
}

/** toFixed rounds the exact binary value, as Python does; exact ties, where they differ, do not occur in steps like ours. */
function roundTo(value: number, decimals: number | undefined): number {
  return decimals === undefined ? value : Number(value.toFixed(decimals));
}
