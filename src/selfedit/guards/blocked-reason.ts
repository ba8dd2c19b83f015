import type { Check } from './check.js';

/** Why a static check blocked an edit, in words. */
export function blockedReason({ name, value, threshold }: Check): string {
  if (typeof value === 'string') return value;
  const percent = (share: number | string): string => `${(Number(share) * 100).toFixed(0)} %`;
  if (name === 'size' && value >= 1 && Number(threshold) >= 1) {
    return `changes ${value} lines, at most ${threshold} are allowed`;
  }
  if (name === 'size')
    return `changes ${percent(value)} of the tokens, at most ${percent(threshold)} are allowed`;
  if (name === 'growth')
    return `the prompt grows by ${percent(value)}, at most ${percent(threshold)} are allowed`;
  return `${name} ${value}, at most ${threshold} is allowed`;
}
