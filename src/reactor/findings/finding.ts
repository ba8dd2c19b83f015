import type { JsonObject } from '../../foreign/json.js';

/** A wire intent (spec 01 §3). */
export type WireIntent = { readonly intent_type: string; readonly payload: JsonObject };

/** One line of the findings file, in the order of its keys (spec 01 §6, 05 A.7). */
export type Finding = {
  readonly tick_index: number;
  /** Unix s. */
  readonly timestamp_unix: number;
  readonly symptom_name: string;
  readonly severity: 'low' | 'medium' | 'high';
  readonly summary: string;
  readonly intents: readonly WireIntent[];
  readonly evidence: JsonObject;
  readonly rca_text: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly cooldown_until_tick: number;
  readonly policy?: readonly string[];
  /** A destructive intent that was held back at random, for learning what it would have changed (spec 06 F.10). */
  readonly holdback?: JsonObject;
  readonly rca_class?: string;
  readonly origin?: 'run';
  readonly investigation_id?: string;
};
