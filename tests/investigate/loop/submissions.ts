import type { JsonRecord } from '../../../src/llm/json.js';
import type { Turn } from './scripted-model.js';

export const CART_STORE = 'src/cart/src/cartstore/ValkeyCartStore.cs';
export const QUOTE = "Can't access cart storage";

/** What a model hands in. */
export function submit(cause: JsonRecord, rest: JsonRecord = {}): Turn {
  const root = {
    description: 'the cart cannot reach its store',
    confidence: 0.7,
    error_type: 'runtime_error',
    claims: [],
    ...cause,
  };
  return {
    call: 'submit_result',
    args: { issue_summary: 'carts fail', root_cause: root, recommended_fix: 'look at the store', ...rest },
  };
}

/** A claim on the first receipt whose result holds the quoted text. */
export function citing(quote: string, cause: JsonRecord = {}, rest: JsonRecord = {}): Turn {
  return (request) => {
    const texts = request.messages.flatMap((message) =>
      message.role === 'tool'
        ? message.results.map(({ content }) => content)
        : message.role === 'user'
          ? [message.text]
          : [],
    );
    const lead = texts.flatMap((text) => text.match(/\[(r\d{3})/)?.[1] ?? [])[0] ?? 'r001';
    return submit(
      {
        claims: [{ text: 'the store is not reached', receipt_ids: [lead], quote }],
        service: 'cart',
        ...cause,
      },
      rest,
    );
  };
}
