import { createHash } from 'node:crypto';
import { isObject } from '../../foreign/json.js';
import { configKey } from '../actions/patch.js';
import type { Incident } from '../incidents/incident.js';
import type { AttemptOutcome, Config } from '../types.js';
import { incidentFeatures, TRACE_FEATURE_SCHEMA } from './features.js';

/** One line of the outcome log (spec 06 F.7.7). */
export interface OutcomeRow {
  readonly timestamp_unix: number;
  readonly source: 'loop' | 'train' | 'session';
  readonly session_id: string;
  readonly pattern_id: string;
  readonly feature_schema_version: string;
  readonly features: readonly number[];
  readonly action_id: string;
  readonly config_hash: string;
  readonly n_pairs: number;
  readonly d_sum: number;
  readonly p_exact: number | null;
  readonly log_e: number | null;
  readonly gain: number | null;
  readonly gain_se: number | null;
  readonly label: 0 | 1;
  /** Probability with which this choice was made; 1 for a deterministic ranking. */
  readonly propensity: number;
}

const HASH_DIGITS = 16;

/** What the loop's attempt becomes in the log. */
export function outcomeRow(
  outcome: AttemptOutcome<Incident>,
  sessionId: string,
  nowUnix: number,
): OutcomeRow {
  return {
    timestamp_unix: nowUnix,
    source: 'loop',
    session_id: sessionId,
    pattern_id: outcome.incident.pattern_id,
    feature_schema_version: TRACE_FEATURE_SCHEMA,
    features: incidentFeatures(outcome.incident),
    action_id: outcome.action_id,
    config_hash: configHash(outcome.config),
    n_pairs: outcome.n_pairs,
    d_sum: outcome.d_sum,
    p_exact: outcome.p_exact,
    log_e: outcome.log_e,
    gain: outcome.gain,
    gain_se: outcome.gain_se,
    label: outcome.accepted ? 1 : 0,
    propensity: 1,
  };
}

/** First 16 hex digits of the SHA-256 of a configuration, the same whatever the order of its keys. */
export function configHash(config: Config): string {
  return createHash('sha256').update(configKey(config)).digest('hex').slice(0, HASH_DIGITS);
}

/** Reads a line of the log; null when it is not one. */
export function parseOutcomeRow(value: unknown): OutcomeRow | null {
  if (!isObject(value)) return null;
  const { source, label, features } = value;
  if (source !== 'loop' && source !== 'train' && source !== 'session') return null;
  if ((label !== 0 && label !== 1) || !isNumbers(features)) return null;
  const text = (key: string) => (typeof value[key] === 'string' ? value[key] : '');
  const number = (key: string) => (isFiniteNumber(value[key]) ? value[key] : null);
  return {
    timestamp_unix: number('timestamp_unix') ?? 0,
    source,
    session_id: text('session_id'),
    pattern_id: text('pattern_id'),
    feature_schema_version: text('feature_schema_version'),
    features,
    action_id: text('action_id'),
    config_hash: text('config_hash'),
    n_pairs: number('n_pairs') ?? 0,
    d_sum: number('d_sum') ?? 0,
    p_exact: number('p_exact'),
    log_e: number('log_e'),
    gain: number('gain'),
    gain_se: number('gain_se'),
    label,
    propensity: number('propensity') ?? 1,
  };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isFiniteNumber);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
