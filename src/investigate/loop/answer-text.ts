import type { CallAnswer } from '../ledger/dispatcher.js';

/** A tool's answer for the model: one JSON object in a frame that its content cannot forge (spec 07 B12). */
export function answerText(answer: CallAnswer, nonce: string, maxChars: number): string {
  if (answer.receipt === null) return JSON.stringify({ status: answer.status, note: answer.note });
  const { receipt, data, isRepeat } = answer;
  const head = {
    receipt_id: receipt.receipt_id,
    status: receipt.status,
    class: receipt.evidence_class,
    note:
      [isRepeat ? `answered before, see ${receipt.receipt_id}` : null, receipt.note]
        .filter(Boolean)
        .join('; ') || null,
  };
  return framed(JSON.stringify({ ...head, data }), nonce, maxChars, receipt.receipt_id);
}

/** A part of a stored result. */
export function receiptText(
  payload: string,
  offset: number,
  nonce: string,
  maxChars: number,
  id: string,
): string {
  return framed(payload.slice(offset), nonce, maxChars, id, offset);
}

function framed(text: string, nonce: string, maxChars: number, id: string, offset = 0): string {
  const kept = text.slice(0, maxChars);
  const left = text.length - kept.length;
  const marker =
    left === 0
      ? ''
      : `\n[${left} characters left out; narrow the question, or read_receipt ${id} from offset ${offset + kept.length}]`;
  return `<<evidence ${nonce}>>\n${kept.replaceAll(nonce, '')}${marker}\n<<end ${nonce}>>`;
}
