import { createHash } from 'node:crypto';

const TWO_52 = 2 ** 52;

/** SHA-256 of a UTF-8 text, as hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** H(s): the first 13 hexadecimal digits of SHA-256 as an integer, divided by 2^52 (spec 08 §23); uniform in [0, 1). */
export function uniform(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 13), 16) / TWO_52;
}
