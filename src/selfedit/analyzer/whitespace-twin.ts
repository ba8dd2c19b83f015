const MAX_CHARS = 8_000;

/**
 * The passage of a prompt that equals a text up to runs of white space, when there is exactly one (spec 08 W15): models copy
 * line breaks badly. Anything less alike is another text.
 */
export function whitespaceTwin(prompt: string, text: string): string | null {
  const words = text.trim().slice(0, MAX_CHARS).split(/\s+/);
  if (words.length === 1 && words[0] === '') return null;
  const pattern = new RegExp(words.map(escaped).join('\\s+'), 'g');
  const found = prompt.match(pattern) ?? [];
  return found.length === 1 ? (found[0] ?? null) : null;
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
