import { sharedEntities } from '../evidence/entities.js';
import { CONSEQUENCES } from '../evidence/fingerprint-table.js';
import { fingerprintById } from '../evidence/fingerprints.js';
import { type ErrorType, groupOf } from '../model/error-type.js';
import type { EvidenceItem } from '../model/evidence.js';

/** True when an item has a fingerprint of the type or of its group. */
export function speaksOf(item: EvidenceItem, type: ErrorType): boolean {
  const own = item.fingerprint === null ? undefined : fingerprintById(item.fingerprint)?.errorType;
  if (own === undefined) return false;
  return own === type || (groupOf(type) !== 'none' && groupOf(own) === groupOf(type));
}

/** The items that bear on a claim of this type (spec 07 B11.1). */
export function bearingItems(
  items: readonly EvidenceItem[],
  type: ErrorType,
  slownessNamed: boolean,
): EvidenceItem[] {
  const causes = items.filter((item) => speaksOf(item, type) && !isConsequence(item));
  return items.filter((item) => {
    if (item.kind === 'slow') return type === 'network' || slownessNamed;
    if (item.fingerprint === null || speaksOf(item, type)) return true;
    if (!isConsequence(item)) return false;
    return causes.some((cause) => sharedEntities(cause.entities, item.entities).length > 0);
  });
}

/** True when an error is of another kind than the claimed type; a general kind of the same group contradicts none. */
export function contradicts(error: { readonly fingerprint: string | null }, type: ErrorType): boolean {
  const own = error.fingerprint === null ? undefined : fingerprintById(error.fingerprint)?.errorType;
  if (own === undefined || own === type) return false;
  return groupOf(own) !== groupOf(type) || (isSpecific(own) && isSpecific(type));
}

/** A type that says what went wrong, not only that something did. */
function isSpecific(type: ErrorType): boolean {
  return type !== 'code_logic' && type !== 'runtime_error';
}

function isConsequence({ fingerprint }: EvidenceItem): boolean {
  return fingerprint !== null && CONSEQUENCES.has(fingerprint);
}
