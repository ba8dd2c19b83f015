import { cutCodePoints, outgoingLine } from '../foreign/hygiene.js';

const MAX_WARNINGS = 20;
const MAX_LENGTH = 200;

/** Warnings as they leave: one line each, clipped, at most 20 and one entry that counts the rest (spec 01 §2.11). */
export function limitWarnings(warnings: readonly string[]): string[] {
  const kept = warnings
    .slice(0, MAX_WARNINGS)
    .map((warning) => cutCodePoints(outgoingLine(warning), MAX_LENGTH));
  const rest = warnings.length - kept.length;
  return rest > 0 ? [...kept, `${rest} more`] : kept;
}
