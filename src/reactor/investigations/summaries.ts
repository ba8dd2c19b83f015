import { cutCodePoints, outgoingLine } from '../../foreign/hygiene.js';
import { finiteNumber, isObject, type JsonObject, objectOr, text } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { symptomKey } from '../../signals/symptom.js';
import type { TickDecision } from '../decide-tick.js';
import type { Finding, WireIntent } from '../findings/finding.js';
import { indexRows } from './index-rows.js';

/** What a later alert says of the newest investigation of its symptom (spec 07 B1). */
export type InvestigationSummary = {
  readonly investigation_id: string;
  readonly error_type: string;
  readonly confidence: number;
  readonly confidence_level: string;
  readonly subject: string | null;
};

const ID = /^inv-\d{1,12}-[0-9a-f]{8}$/;
const TYPE = /^[a-z_]{1,40}$/;
const LEVEL = /^(?:low|medium|high)$/;
const MAX_SUBJECT = 200;

/** The newest investigation of each key; empty without an index. */
export function latestInvestigations(sessionDir: string): ReadonlyMap<string, InvestigationSummary> {
  const latest = new Map<string, InvestigationSummary>();
  for (const row of indexRows(sessionDir)) {
    const key = text(row['key']);
    const summary = summaryOf(row);
    if (key !== undefined && summary !== null) latest.set(key, summary);
  }
  return latest;
}

/** A line of the index lies in the session, where others can write; only what has its form is passed on. */
function summaryOf(row: JsonObject): InvestigationSummary | null {
  const id = text(row['investigation_id']) ?? '';
  const type = text(row['error_type']) ?? '';
  const level = text(row['confidence_level']) ?? '';
  const confidence = finiteNumber(row['confidence']);
  if (!ID.test(id) || !TYPE.test(type) || !LEVEL.test(level)) return null;
  if (confidence === undefined || confidence < 0 || confidence > 1) return null;
  const subject = text(row['subject']);
  return {
    investigation_id: id,
    error_type: type,
    confidence,
    confidence_level: level,
    subject: subject === undefined ? null : cutCodePoints(outgoingLine(subject), MAX_SUBJECT),
  };
}

/** The same decision, its alerts with a word on what an earlier investigation of the same symptom found. */
export function withSummaries(
  decided: TickDecision,
  latest: ReadonlyMap<string, InvestigationSummary>,
  redact: Redact,
): TickDecision {
  if (latest.size === 0) return decided;
  const annotate = (intent: WireIntent): WireIntent => annotated(intent, latest, redact);
  const { decision } = decided;
  const findings = decision.findings.map((finding) => ({
    ...finding,
    intents: finding.intents.map(annotate),
  }));
  return { ...decided, decision: { ...decision, intents: decision.intents.map(annotate), findings } };
}

/** The findings, those whose fault was investigated before with the id of that investigation. */
export function withIds(
  findings: readonly Finding[],
  latest: ReadonlyMap<string, InvestigationSummary>,
): readonly Finding[] {
  if (latest.size === 0) return findings;
  return findings.map((finding) => {
    const known = latest.get(symptomKey({ name: finding.symptom_name, subject: finding.subject }));
    return known === undefined ? finding : { ...finding, investigation_id: known.investigation_id };
  });
}

function annotated(
  intent: WireIntent,
  latest: ReadonlyMap<string, InvestigationSummary>,
  redact: Redact,
): WireIntent {
  const { detail } = intent.payload;
  if (intent.intent_type !== 'alert' || !isObject(detail)) return intent;
  const name = text(detail['symptom']) ?? '';
  const known = latest.get(symptomKey({ name, subject: textsOf(detail['subject']) }));
  if (known === undefined) return intent;
  const investigation = { ...known, subject: known.subject === null ? null : redact(known.subject) };
  return { ...intent, payload: { ...intent.payload, detail: { ...detail, investigation } } };
}

function textsOf(subject: unknown): Record<string, string> {
  const entries = Object.entries(objectOr(subject)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}
