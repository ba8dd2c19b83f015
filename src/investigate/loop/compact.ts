import type { ChatMessage } from '../../llm/chat.js';
import { summaryOf } from '../ledger/receipt-of.js';
import type { Evidence } from '../model/evidence.js';

const KEPT_RESULTS = 6;
const SHARE = 0.6;
const CHARACTERS_PER_TOKEN = 4;
const ID = /"receipt_id":"(r\d{3,6})"/;

/** Replaces old tool results by their one-line summaries once the conversation fills its share of the window (spec 07 B10-6). */
export function compact(messages: ChatMessage[], evidence: readonly Evidence[], windowTokens: number): void {
  const size = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  if (size / CHARACTERS_PER_TOKEN <= windowTokens * SHARE) return;
  let newer = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'tool') continue;
    const results = message.results.toReversed().map((result) => {
      newer += 1;
      const id = ID.exec(result.content)?.[1];
      const receipt = evidence.find((one) => one.receipt.receipt_id === id)?.receipt;
      if (newer <= KEPT_RESULTS || receipt === undefined) return result;
      return {
        ...result,
        content: `${receipt.receipt_id} ${receipt.tool}: ${summaryOf(receipt)}; read_receipt shows it again`,
      };
    });
    messages[index] = { ...message, results: results.toReversed() };
  }
}
