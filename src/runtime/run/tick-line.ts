import { outgoingLine } from '../../foreign/hygiene.js';
import { isObject } from '../../foreign/json.js';
import type { TickReport } from '../../reactor/perform-tick.js';
import { listing, utc, wrap } from '../findings/format.js';

/** What an operator sees of a tick that changed something; empty when nothing did. */
export function tickLines({ findings, decision, context }: TickReport, colour: boolean): string[] {
  const found = findings.map((finding) => listing(finding, colour));
  const gone = decision.decision.intents.flatMap(({ payload }) => {
    const { detail, body_md: body } = payload;
    if (!isObject(detail) || detail['resolved'] !== true || typeof body !== 'string') return [];
    return [`${utc(context.now_unix)} GONE   tick ${decision.tick}`, ...wrap(outgoingLine(body), 2)];
  });
  return [...found, ...gone];
}
