import { isObject, type Json, type JsonObject, listOr, objectsOf, text } from '../../foreign/json.js';
import { ERROR_TYPES, type ErrorType, isErrorType } from '../model/error-type.js';
import type { Alternative, Propagation } from '../model/heal-result.js';
import type { Statement } from '../policy/claims.js';

/** What a model hands in at the end; nothing of it is believed yet (spec 07 B10-3). */
export interface Submission {
  readonly issueSummary: string;
  readonly description: string;
  readonly service: string | null;
  readonly filePath: string | null;
  readonly lineNumber: number | null;
  readonly confidence: number;
  readonly errorType: ErrorType;
  readonly statements: readonly Statement[];
  readonly fix: string;
  readonly snippet: string | null;
  readonly alternatives: readonly Alternative[];
  readonly propagation: readonly Propagation[];
  readonly note: string | null;
}

export type SubmissionReading =
  | { readonly ok: true; readonly submission: Submission }
  | { readonly ok: false; readonly problem: string };

export const SUBMIT = 'submit_result';
const MAX_CLAIMS = 12;
const MAX_LISTED = 3;
const MAX_TEXT = 4000;

const NULLABLE = ['string', 'null'] as const;

/** JSON Schema of the arguments of `submit_result`. */
export const SUBMIT_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['issue_summary', 'root_cause', 'recommended_fix'],
  properties: {
    issue_summary: { type: 'string', description: 'what was reported, in one sentence' },
    root_cause: {
      type: 'object',
      additionalProperties: false,
      required: ['description', 'confidence', 'error_type', 'claims'],
      properties: {
        description: { type: 'string' },
        service: {
          type: [...NULLABLE],
          description: 'responsible service or component, as its source spells it',
        },
        file_path: { type: [...NULLABLE], description: 'file that a fix would change, only if it was read' },
        line_number: { type: ['integer', 'null'] },
        confidence: { type: 'number', minimum: 0, maximum: 1 },
        error_type: { type: 'string', enum: [...ERROR_TYPES] },
        claims: {
          type: 'array',
          maxItems: MAX_CLAIMS,
          description: 'one item per statement, the cause first; each cites receipts',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['text', 'receipt_ids'],
            properties: {
              text: { type: 'string' },
              receipt_ids: { type: 'array', items: { type: 'string' } },
              quote: { type: [...NULLABLE], description: 'text copied from one of the cited results' },
            },
          },
        },
      },
    },
    recommended_fix: { type: 'string', description: 'a proposal; nothing was changed' },
    fix_code_snippet: { type: [...NULLABLE] },
    alternatives: { type: 'array', maxItems: MAX_LISTED, items: { type: 'object' } },
    propagation: { type: 'array', items: { type: 'object' } },
    confidence_note: { type: [...NULLABLE] },
  },
};

/** Reads the arguments of `submit_result`; every text passes `clean`. */
export function parseSubmission(value: Json, clean: (text: string) => string): SubmissionReading {
  if (!isObject(value)) return refused('the arguments are an object');
  const cause = value['root_cause'];
  if (!isObject(cause)) return refused('root_cause is missing');
  const { confidence, error_type: errorType } = cause;
  const [description, summary, fix] = [
    text(cause['description']),
    text(value['issue_summary']),
    text(value['recommended_fix']),
  ];
  if (description === undefined || summary === undefined || fix === undefined) {
    return refused('issue_summary, root_cause.description and recommended_fix are texts');
  }
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    return refused('root_cause.confidence is a number from 0 to 1');
  }
  if (!isErrorType(errorType)) return refused(`root_cause.error_type is one of ${ERROR_TYPES.join(', ')}`);
  if (!Array.isArray(cause['claims'])) return refused('root_cause.claims is a list');
  const short = (source: string): string => clean(source).slice(0, MAX_TEXT);
  const optional = (source: unknown): string | null => {
    const found = text(source)?.trim() ?? '';
    return found === '' ? null : short(found);
  };
  const line = cause['line_number'];
  return {
    ok: true,
    submission: {
      issueSummary: short(summary),
      description: short(description),
      service: optional(cause['service']),
      filePath: optional(cause['file_path'])?.replace(/^\/+/, '') ?? null,
      lineNumber: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : null,
      confidence,
      errorType,
      statements: objectsOf(cause['claims'])
        .slice(0, MAX_CLAIMS)
        .map((claim) => ({
          text: short(text(claim['text']) ?? ''),
          receiptIds: listOr(claim['receipt_ids'])
            .filter((id) => typeof id === 'string')
            .slice(0, 12),
          quote: optional(claim['quote']),
        })),
      fix: short(fix),
      snippet: optional(value['fix_code_snippet']),
      alternatives: objectsOf(value['alternatives'])
        .slice(0, MAX_LISTED)
        .flatMap((one) => alternativeOf(one, optional)),
      propagation: objectsOf(value['propagation'])
        .slice(0, MAX_CLAIMS)
        .map((one) => propagationOf(one, short)),
      note: optional(value['confidence_note']),
    },
  };
}

/** The same submission with every receipt that it cites under another id. */
export function citing(submission: Submission, idOf: (id: string) => string): Submission {
  return {
    ...submission,
    statements: submission.statements.map((one) => ({ ...one, receiptIds: one.receiptIds.map(idOf) })),
    propagation: submission.propagation.map((one) => ({ ...one, receipt_ids: one.receipt_ids.map(idOf) })),
  };
}

function alternativeOf(one: JsonObject, optional: (source: unknown) => string | null): Alternative[] {
  const { error_type: type, score } = one;
  if (!isErrorType(type)) return [];
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  return [{ error_type: type, subject: optional(one['subject']), score: isScore ? score : 0 }];
}

function propagationOf(one: JsonObject, short: (source: string) => string): Propagation {
  const part = (name: string): string => short(text(one[name]) ?? '');
  return {
    source: part('source'),
    target: part('target'),
    condition: part('condition'),
    effect: part('effect'),
    receipt_ids: listOr(one['receipt_ids']).filter((id) => typeof id === 'string'),
  };
}

function refused(problem: string): SubmissionReading {
  return { ok: false, problem };
}
