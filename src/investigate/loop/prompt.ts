import type { Conclusion } from '../engine/conclude.js';
import { showTime } from '../engine/describe.js';
import { matchEvidence } from '../evidence/fingerprints.js';
import { summaryOf } from '../ledger/receipt-of.js';
import { ERROR_TYPES } from '../model/error-type.js';
import type { CarriedReceipt, PreviousTurn } from '../previous-turn.js';
import type { Question } from '../question.js';
import { CAPABILITIES, type Tool } from '../tools/tool.js';
import { INVESTIGATE_PROMPT } from './duties.js';
import { SUBMIT } from './submission.js';

const MAX_EARLIER = 1000;
const HINTS: Readonly<Record<string, string>> = {
  jaeger:
    'traces: take names from list_trace_services; query_traces, then extract_error_spans of a failing one; gRPC codes, 5xx and exceptions are failures, too',
  loki: 'logs: take names from list_log_services; ask without a filter first, then for words of failure',
  github: 'repository: find_files, then get_file_slice at the line that evidence names; no browsing',
  session: 'session: tasks and events say what failed, logs say why; look around the time of the incident',
  source: 'source: read_source_slice at the line that evidence names',
  snapshot: 'machine: system_snapshot counts only near the time of the incident',
  sandbox: 'sandbox: a reproduction is the strongest proof',
};

/**
 * The duties and what this run has (spec 07 A6, B12); made after the capabilities were checked.
 *
 * @param duties as promotions have them
 */
export function systemPrompt(tools: readonly Tool[], nonce: string, duties = INVESTIGATE_PROMPT): string {
  const available = CAPABILITIES.filter((capability) => tools.some((tool) => tool.capability === capability));
  const missing = CAPABILITIES.filter((capability) => !available.includes(capability));
  return [
    duties.trimEnd(),
    '',
    'This run',
    `- Results stand between <<evidence ${nonce}>> and <<end ${nonce}>>.`,
    `- Available: ${available.join(', ') || 'none'}. Not available: ${missing.join(', ') || 'none'}.`,
    ...available.flatMap((capability) => (HINTS[capability] === undefined ? [] : [`- ${HINTS[capability]}`])),
    `Only the tools listed exist. End by calling ${SUBMIT}; error types: ${ERROR_TYPES.join(', ')}.`,
  ].join('\n');
}

/**
 * The question, and what the engine without a model found.
 *
 * @param fastpathConfidence confidence of an error line in the question from which on it is to be checked first (spec 07 A5)
 */
export function firstMessage(
  question: Question,
  conclusion: Conclusion,
  receipts: readonly string[],
  fastpathConfidence: number,
): string {
  const lead = conclusion.statements.map(({ text, quote, receiptIds }) => {
    const quoted = quote === null ? '' : `: "${quote}"`;
    return `- ${text}${quoted} [${receiptIds.join(', ')}]`;
  });
  return [
    `Reported: ${question.text}`,
    ...(question.symptom === null
      ? []
      : [`Symptom: ${question.symptom} ${JSON.stringify(question.subject)}`]),
    `Service: ${question.serviceName ?? 'unspecified'}. Window: ${question.windowMinutes} minutes. Time of the incident: ${showTime(question.incidentUnix)}.`,
    ...(question.traceId === null ? [] : [`A failing trace: ${question.traceId}`]),
    ...quotedError(question, fastpathConfidence),
    '',
    `First looks were taken without you. Lead, to be checked: ${conclusion.errorType} in ${conclusion.subject ?? 'nothing yet'}.`,
    ...lead,
    'Their receipts (read_receipt shows one again):',
    ...receipts.map((line) => `- ${line}`),
  ].join('\n');
}

/** The report may quote an error line: a strong hint, and no evidence. */
function quotedError({ symptom, text }: Question, least: number): string[] {
  const hit = symptom === null ? matchEvidence(text) : null;
  if (hit === null || hit.fingerprint.confidence < least) return [];
  const { id, errorType, confidence } = hit.fingerprint;
  return [
    `The report itself reads like ${id} (${errorType}, ${confidence.toFixed(2)}). Confirm or refute that first, in traces and logs, then in the file they name; do not end without having looked.`,
  ];
}

/** What the conversation was about before: the user's words and the last result, as leads (spec 07 B10-8). */
export function earlierTurn(
  { texts, result }: PreviousTurn,
  citable: ReadonlyMap<string, CarriedReceipt>,
  nonce: string,
): string[] {
  const { root_cause: cause } = result;
  const before = {
    asked: texts.map((text) => text.slice(0, MAX_EARLIER)),
    error_type: cause.error_type,
    subject: cause.subject,
    confidence_level: cause.confidence_level,
    description: cause.description.slice(0, MAX_EARLIER),
    recommended_fix: result.recommended_fix.slice(0, MAX_EARLIER),
  };
  const listed = [...citable].map(
    ([id, { evidence }]) => `- ${id} ${evidence.receipt.tool}: ${summaryOf(evidence.receipt)}`,
  );
  return [
    '',
    'Asked and answered before in this conversation; a lead, no evidence:',
    `<<evidence ${nonce}>>\n${JSON.stringify(before).replaceAll(nonce, '')}\n<<end ${nonce}>>`,
    ...(listed.length === 0 ? [] : ['Its receipts may be cited and read again:', ...listed]),
  ];
}
