import { cutCodePoints } from '../../foreign/hygiene.js';
import type { EvidenceItem } from '../model/evidence.js';
import { compareTimes, confidenceOf, type Hypothesis } from './hypothesis.js';

const MAX_QUOTE = 200;

/** The item whose line says best what happened: highest confidence, then earliest. */
export function bestItem(items: readonly EvidenceItem[]): EvidenceItem | undefined {
  return [...items]
    .filter(({ text }) => text !== null)
    .sort((a, b) => confidenceOf(b) - confidenceOf(a) || compareTimes(a.tsUnix, b.tsUnix))[0];
}

/** A line as a quotation. */
export function quoteOf(item: EvidenceItem | undefined): string | null {
  const text = item?.text?.trim() ?? '';
  return text === '' ? null : cutCodePoints(text, MAX_QUOTE);
}

/** `2026-05-28T19:26:40Z`, or a word for no time. */
export function showTime(unix: number | null): string {
  if (unix === null || !Number.isFinite(unix)) return 'an unknown time';
  return `${new Date(unix * 1000).toISOString().slice(0, 19)}Z`;
}

export function showEntity(entity: string | null): string {
  return entity === null ? 'the failing part' : entity.replace(':', ' ');
}

/** What failed, its line, how often, when, what agrees, and what is only an effect (spec 07 B9.4). */
export function describe(hypothesis: Hypothesis, effects: readonly EvidenceItem[]): string {
  const { own, subject, classes } = hypothesis;
  const times = own.flatMap(({ tsUnix }) => tsUnix ?? []).sort((a, b) => a - b);
  const quote = quoteOf(bestItem(own));
  const seen =
    own.length === 1
      ? `seen once, at ${showTime(times[0] ?? null)}`
      : `seen ${own.length} times, from ${showTime(times[0] ?? null)} to ${showTime(times.at(-1) ?? null)}`;
  const agree =
    classes.length > 1 ? `; ${classes.join(', ')} agree` : `; only in ${classes[0] ?? 'one source'}`;
  const effect = quoteOf(bestItem(effects));
  const only = effect === null ? '' : ` Only an effect: "${effect}".`;
  return `${hypothesis.errorType} in ${showEntity(subject)}: "${quote ?? ''}", ${seen}${agree}.${only}`;
}
