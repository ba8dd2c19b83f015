import type { Intent } from '../intents.js';
import type { LadderField } from './config.js';
import type { Listed } from './evaluation.js';
import type { PassReason } from './passing.js';
import type { Holdback } from './remedy-state.js';
import type { WireSymptom } from './wire.js';

/** An intent to be; a recover may still take in others, so it is built last. */
export interface PlannedIntent {
  build(): Intent;
  /** Keys of the symptoms whose destructive intent this is; empty for alerts and messages. */
  readonly carries: readonly string[];
  readonly effect?: { readonly kind: 'recover' } | { readonly kind: 'prune'; readonly family: string };
}

/** Everything that one symptom sends in this evaluation (spec 05 A.12.2 step 6). */
export interface Draft {
  readonly item: Listed;
  readonly wire: WireSymptom;
  readonly reason: PassReason;
  readonly intents: readonly PlannedIntent[];
  readonly policy: readonly LadderField[];
  /** Keys that its alert lists. */
  readonly explains: readonly string[];
  readonly holdback?: Holdback;
}
