import type { ChatMessage, ChatRequest } from './chat.js';
import { wholeCharacters } from './text.js';

const SHORTEST = 200;
const HEAD_SHARE = 0.6;
const NOTE = '\n[… shortened to fit the model’s window …]\n';

/**
 * The request with its longest texts (of users and of tools) cut in the middle, so that all of them together have at most
 * `share` of their present length. Null when there is nothing left worth cutting.
 */
export function shrinkRequest(request: ChatRequest, share: number): ChatRequest | null {
  const lengths = request.messages.flatMap(lengthsOf);
  const total = sum(lengths);
  const limit = cutLength(lengths, total * share);
  if (limit < SHORTEST) return null;
  const messages = request.messages.map((message) => cutMessage(message, limit));
  return sum(messages.flatMap(lengthsOf)) < total ? { ...request, messages } : null;
}

/** The share of the text that fits, by the two numbers such an error usually names; a half when it names none. */
export function shareThatFits(message: string): number {
  const numbers = (message.replace(/(\d),(?=\d{3})/g, '$1').match(/\d{3,9}/g) ?? []).map(Number);
  const largest = Math.max(...numbers);
  const smaller = numbers.filter((number) => number < largest);
  if (smaller.length === 0) return 0.5;
  return Math.min(0.5, Math.max(0.05, (0.8 * Math.max(...smaller)) / largest));
}

function lengthsOf(message: ChatMessage): number[] {
  if (message.role === 'user') return [message.text.length];
  return message.role === 'tool' ? message.results.map((result) => result.content.length) : [];
}

/** The length at which cutting every longer text brings the sum down to the goal. */
function cutLength(lengths: readonly number[], goal: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let kept = 0;
  for (const [index, length] of sorted.entries()) {
    const rest = sorted.length - index;
    if (kept + length * rest >= goal) return Math.floor((goal - kept) / rest);
    kept += length;
  }
  return sorted.at(-1) ?? 0;
}

function cutMessage(message: ChatMessage, limit: number): ChatMessage {
  if (message.role === 'user') return { ...message, text: cutMiddle(message.text, limit) };
  if (message.role === 'assistant') return message;
  return {
    ...message,
    results: message.results.map((result) => ({ ...result, content: cutMiddle(result.content, limit) })),
  };
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = limit - NOTE.length;
  const head = Math.floor(room * HEAD_SHARE);
  return `${wholeCharacters(text.slice(0, head))}${NOTE}${wholeCharacters(text.slice(text.length - (room - head)))}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
