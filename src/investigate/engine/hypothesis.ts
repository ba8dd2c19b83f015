import { kindMatches, namesAnother } from '../evidence/agreement.js';
import { leadingEntity, sharedEntities } from '../evidence/entities.js';
import { CONSEQUENCES } from '../evidence/fingerprint-table.js';
import { fingerprintById } from '../evidence/fingerprints.js';
import { ERROR_TYPES, type ErrorType } from '../model/error-type.js';
import type { EvidenceItem } from '../model/evidence.js';
import type { ObservingClass } from '../model/receipt.js';

/** A group of typed signals of one error type that share entities, with what speaks for it (spec 07 B9.3). */
export interface Hypothesis {
  readonly errorType: ErrorType;
  readonly own: readonly EvidenceItem[];
  readonly supporters: readonly EvidenceItem[];
  readonly entities: readonly string[];
  readonly subject: string | null;
  /** Highest confidence of its fingerprints. */
  readonly base: number;
  /** Earliest time, infinite without one. */
  readonly first: number;
  readonly consequenceOnly: boolean;
  readonly classes: readonly ObservingClass[];
}

type Unsupported = Omit<Hypothesis, 'supporters' | 'classes'>;

/** How much earlier than its cause a consequence may be stamped, s. */
export const CONSEQUENCE_SLACK_S = 5;

export function confidenceOf({ fingerprint }: EvidenceItem): number {
  return fingerprint === null ? 0 : (fingerprintById(fingerprint)?.confidence ?? 0);
}

export function isConsequence({ fingerprint }: EvidenceItem): boolean {
  return fingerprint !== null && CONSEQUENCES.has(fingerprint);
}

export function isTyped(item: EvidenceItem): boolean {
  return item.fingerprint !== null;
}

/** Steps 1 to 3 of spec 07 B9.3. */
export function hypothesesOf(signals: readonly EvidenceItem[], maxGapS: number): Hypothesis[] {
  return ERROR_TYPES.flatMap((type) => {
    const typed = signals.filter((signal) => typeOf(signal) === type);
    return connected(typed).map((own) => {
      const base = foundation(type, own);
      const supporters = signals.filter((signal) => !own.includes(signal) && supports(signal, base));
      return { ...base, supporters, classes: classesOf(base, supporters, maxGapS) };
    });
  });
}

function typeOf({ fingerprint }: EvidenceItem): ErrorType | undefined {
  return fingerprint === null ? undefined : fingerprintById(fingerprint)?.errorType;
}

function foundation(errorType: ErrorType, own: readonly EvidenceItem[]): Unsupported {
  return {
    errorType,
    own,
    entities: [...new Set(own.flatMap(({ entities }) => entities))],
    subject: leadingEntity(own.map(({ entities }) => entities)),
    base: Math.max(...own.map(confidenceOf)),
    first: Math.min(...own.map(({ tsUnix }) => tsUnix ?? Number.POSITIVE_INFINITY)),
    consequenceOnly: own.every(isConsequence),
  };
}

/** Signals that share an entity, directly or through others. Lines that name nothing belong together by their file. */
function connected(signals: readonly EvidenceItem[]): EvidenceItem[][] {
  const groups: { keys: Set<string>; items: EvidenceItem[] }[] = [];
  for (const signal of signals) {
    const named = signal.entities.filter((one) => !one.startsWith('session:'));
    const keys = named.length > 0 ? named : [`source ${signal.source}`];
    const touching = groups.filter((group) => keys.some((key) => group.keys.has(key)));
    const merged = {
      keys: new Set([...touching.flatMap((group) => [...group.keys]), ...keys]),
      items: [...touching.flatMap((group) => group.items), signal],
    };
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map(({ items }) => items);
}

function supports(signal: EvidenceItem, hypothesis: Unsupported): boolean {
  if (signal.cls === 'state') {
    return kindMatches(signal.kind, hypothesis.errorType) && !namesAnother(signal, hypothesis);
  }
  if (sharedEntities(signal.entities, hypothesis.entities).length === 0) return false;
  if (!isTyped(signal)) return signal.cls === 'trace';
  if (typeOf(signal) === hypothesis.errorType || !isConsequence(signal) || hypothesis.consequenceOnly)
    return false;
  return signal.tsUnix !== null && signal.tsUnix >= hypothesis.first - CONSEQUENCE_SLACK_S;
}

function classesOf(
  { own }: Unsupported,
  supporters: readonly EvidenceItem[],
  maxGapS: number,
): ObservingClass[] {
  const strongest = [...own].sort(
    (a, b) =>
      confidenceOf(b) - confidenceOf(a) ||
      compareTimes(a.tsUnix, b.tsUnix) ||
      Number(b.cls === 'trace') - Number(a.cls === 'trace'),
  )[0];
  const all = [...own, ...supporters];
  const reached = new Set<ObservingClass>(strongest === undefined ? [] : [strongest.cls]);
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    const inside = timesOf(all.filter(({ cls }) => reached.has(cls)));
    for (const { cls, tsUnix } of all) {
      if (!reached.has(cls) && tsUnix !== null && isWithin(inside, tsUnix, maxGapS)) reached.add(cls);
    }
  }
  return [...reached].sort();
}

function timesOf(items: readonly EvidenceItem[]): number[] {
  return items.flatMap(({ tsUnix }) => tsUnix ?? []);
}

function isWithin(times: readonly number[], time: number, gap: number): boolean {
  return times.some((other) => Math.abs(other - time) <= gap);
}

/** Earlier first, no time last. */
export function compareTimes(a: number | null, b: number | null): number {
  if (a === b) return 0;
  return (a ?? Number.POSITIVE_INFINITY) < (b ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
