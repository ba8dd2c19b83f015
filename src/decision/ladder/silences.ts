import { finiteNumber, type Json, nonBlank, objectOr, objectsOf, text } from '../../foreign/json.js';
import type { Symptom } from '../../signals/symptom.js';

/** An operator's order not to send a symptom for a while (spec 05 A.12.1). */
export type Silence = {
  readonly id: string;
  /** Name of the symptom. */
  readonly symptom: string;
  /** Every pair given must be in the symptom's subject. */
  readonly subject: Readonly<Record<string, string>>;
  /** Unix s. */
  readonly created_unix: number;
  /** Unix s. */
  readonly expires_unix: number;
  readonly comment: string;
};

/** Silences of `silences.json`; entries without a name or an end are left out. */
export function parseSilences(value: Json): Silence[] {
  return objectsOf(value).flatMap((raw) => {
    const symptom = nonBlank(raw['symptom']);
    const expires = finiteNumber(raw['expires_unix']);
    if (symptom === undefined || expires === undefined) return [];
    const pairs = Object.entries(objectOr(raw['subject']));
    return [
      {
        id: text(raw['id']) ?? '',
        symptom,
        subject: Object.fromEntries(pairs.map(([key, item]) => [key, text(item) ?? String(item)])),
        created_unix: finiteNumber(raw['created_unix']) ?? 0,
        expires_unix: expires,
        comment: text(raw['comment']) ?? '',
      },
    ];
  });
}

/** True while the silence has not ended. */
export function isInForce(silence: Silence, nowUnix: number): boolean {
  return nowUnix < silence.expires_unix;
}

/** The silence in force that holds this symptom back, if any. */
export function silenceOf(
  symptom: Pick<Symptom, 'name' | 'subject'>,
  silences: readonly Silence[],
  nowUnix: number,
): Silence | undefined {
  return silences.find(
    (silence) =>
      silence.symptom === symptom.name &&
      isInForce(silence, nowUnix) &&
      Object.entries(silence.subject).every(([key, value]) => symptom.subject[key] === value),
  );
}
