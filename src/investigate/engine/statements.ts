import { leadingEntity } from '../evidence/entities.js';
import type { Evidence, EvidenceItem } from '../model/evidence.js';
import type { Propagation } from '../model/heal-result.js';
import type { ObservingClass } from '../model/receipt.js';
import type { Statement } from '../policy/claims.js';
import { bestItem, quoteOf, showEntity } from './describe.js';
import { isConsequence, isTyped } from './hypothesis.js';
import type { Scored } from './score.js';

const MAX_EFFECTS = 3;
const MAX_CITED = 4;
const WORD: Readonly<Record<ObservingClass, string>> = {
  log: 'a log line',
  trace: 'a failed outcome',
  state: 'a resource reading',
};

/** The receipts that hold one of the items, in order. */
export function receiptsOf(items: readonly EvidenceItem[], evidence: readonly Evidence[]): string[] {
  const keys = new Set(items.map(({ key }) => key));
  return evidence.flatMap(({ receipt, items: own }) =>
    receipt.status === 'ok' && own.some(({ key }) => keys.has(key)) ? [receipt.receipt_id] : [],
  );
}

/** Effects among the supporters: consequences of another type (spec 07 B9.3-2). */
export function effectsOf({ supporters }: Scored): EvidenceItem[] {
  return supporters.filter((item) => isTyped(item) && isConsequence(item));
}

/** What is stated of a winner: the cause, each further class, each effect (spec 07 B9.3-14). */
export function statementsOf(winner: Scored, evidence: readonly Evidence[]): Statement[] {
  const cause = bestItem(winner.own);
  const subject = showEntity(winner.subject);
  const all = [...winner.own, ...winner.supporters];
  const further = winner.classes
    .filter((cls) => cls !== cause?.cls)
    .flatMap((cls) => {
      const item = bestItem(all.filter((one) => one.cls === cls)) ?? all.find((one) => one.cls === cls);
      return item === undefined ? [] : [statement(`${WORD[cls]} says the same`, item, evidence)];
    });
  const effects = effectsOf(winner)
    .slice(0, MAX_EFFECTS)
    .map((item) => statement('an effect followed', item, evidence));
  return [
    ...(cause === undefined ? [] : [statement(`${winner.errorType} in ${subject}`, cause, evidence)]),
    ...further,
    ...effects,
  ];
}

/** What is stated when no cause was found: the failures that do not say why. */
export function untypedStatements(
  items: readonly EvidenceItem[],
  evidence: readonly Evidence[],
): Statement[] {
  return items
    .filter((item) => !isTyped(item) && item.kind !== 'slow')
    .slice(0, MAX_EFFECTS)
    .map((item) =>
      statement(
        `${showEntity(leadingEntity([item.entities]))} failed without a telling text`,
        item,
        evidence,
      ),
    );
}

/** One step of the chain per effect. */
export function propagationOf(winner: Scored, evidence: readonly Evidence[]): Propagation[] {
  return effectsOf(winner)
    .slice(0, MAX_EFFECTS)
    .map((item) => ({
      source: winner.subject ?? '',
      target: leadingEntity([item.entities]) ?? '',
      condition: quoteOf(bestItem(winner.own)) ?? '',
      effect: quoteOf(item) ?? '',
      receipt_ids: receiptsOf([item], evidence).slice(0, MAX_CITED),
    }));
}

function statement(text: string, item: EvidenceItem, evidence: readonly Evidence[]): Statement {
  const isQuotable = item.cls !== 'state';
  return {
    text,
    receiptIds: receiptsOf([item], evidence).slice(0, MAX_CITED),
    quote: isQuotable ? quoteOf(item) : null,
  };
}
