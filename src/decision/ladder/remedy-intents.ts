import type { JsonObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { delegateRecover, type Intent, pruneBranch } from '../intents.js';
import type { RemedyAction } from './remedies.js';
import { type WireSymptom, wireLine } from './wire.js';

/** Symptoms that one merged recover names beside its own. */
const MAX_ALSO = 8;

export type RecoverAction = Extract<RemedyAction, { kind: 'recover' }>;

/** One recover of this evaluation; others may still be merged into it. */
export interface PlannedRecover {
  readonly idempotencyKey: string;
  /** Keys of the symptoms that it serves. */
  readonly carries: string[];
  build(): Intent;
}

/** The recovers of one evaluation: a bounded number, the rest merged into the first (spec 05 A.12.2 step 6). */
export class RecoverQueue {
  #first: { planned: PlannedRecover; also: JsonObject[] } | undefined;
  #count = 0;

  constructor(private readonly maxPerTick: number) {}

  /** A recover of its own, or the one that it was merged into. */
  add(
    key: string,
    action: RecoverAction,
    wire: WireSymptom,
  ): { own: PlannedRecover } | { mergedInto: PlannedRecover } {
    if (this.#first !== undefined && this.maxPerTick > 0 && this.#count >= this.maxPerTick) {
      const { planned, also } = this.#first;
      planned.carries.push(key);
      if (also.length < MAX_ALSO) also.push({ reason: action.reason, evidence: wire.evidence });
      return { mergedInto: planned };
    }
    this.#count += 1;
    const also: JsonObject[] = [];
    const planned: PlannedRecover = {
      idempotencyKey: action.idempotencyKey,
      carries: [key],
      build: () => recoverIntent(action, wire, also),
    };
    this.#first ??= { planned, also };
    return { own: planned };
  }
}

/** The recover delegate (spec 05 A.5). */
function recoverIntent(action: RecoverAction, wire: WireSymptom, also: readonly JsonObject[] = []): Intent {
  return delegateRecover({
    params: {
      reason: action.reason,
      force_gpu_cleanup: true,
      evidence: wire.evidence,
      ...(also.length > 0 ? { also } : {}),
    },
    idempotency_key: action.idempotencyKey,
  });
}

/** The intent of a destructive action by itself; undefined when there is nothing to name in it. */
export function remedyIntent(action: RemedyAction, wire: WireSymptom, redact: Redact): Intent | undefined {
  if (action.kind === 'recover') return recoverIntent(action, wire);
  const built = pruneBranch({ family: wireLine(action.family, redact), reason: wire.summary });
  return built.ok ? built.intent : undefined;
}
