import { UserError } from '../shared/user-error.js';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const LONGEST_S = 365 * 86_400;

/**
 * Seconds of `90m`, `2h`, `1d12h`.
 *
 * @throws UserError `RA_USAGE` for anything else, zero, and more than a year
 */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text;
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  );
  if (isWhole && seconds > 0 && seconds <= LONGEST_S) return seconds;
  throw new UserError({
    code: 'RA_USAGE',
    happened: `${text} is no duration`,
    expected: '30m, 2h, 1d12h or the like, at most 365d',
  });
}

/** A duration in its two largest units: `1d 3h`, `2h 5m`, `40s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'm'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
