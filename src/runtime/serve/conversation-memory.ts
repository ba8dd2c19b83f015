import type { HealResult } from '../../investigate/model/heal-result.js';
import type { CarriedReceipt, PreviousTurn } from '../../investigate/previous-turn.js';

/** As many as there may be conversations. */
const MAX_CONVERSATIONS = 200;
/** Receipts are large; only the latest conversations have theirs. */
const MAX_WITH_RECEIPTS = 20;
const MAX_TEXTS = 10;
const MAX_TEXT = 2000;

/** What the last turn of each conversation left, in memory and bounded (spec 07 B10-8). */
export class ConversationMemory {
  /** In the order of last use. */
  readonly #turns = new Map<string, PreviousTurn>();

  of(sessionId: string): PreviousTurn | undefined {
    return this.#turns.get(sessionId);
  }

  remember(sessionId: string, text: string, result: HealResult, receipts: readonly CarriedReceipt[]): void {
    const before = this.#turns.get(sessionId)?.texts ?? [];
    const texts = [...before, text.slice(0, MAX_TEXT)].slice(-MAX_TEXTS);
    this.#turns.delete(sessionId);
    this.#turns.set(sessionId, { texts, result, receipts });
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > MAX_CONVERSATIONS && oldest !== undefined) this.#turns.delete(oldest);
    const [fading] = [...this.#turns].slice(-MAX_WITH_RECEIPTS - 1);
    if (fading !== undefined && this.#turns.size > MAX_WITH_RECEIPTS) {
      this.#turns.set(fading[0], { ...fading[1], receipts: [] });
    }
  }
}
