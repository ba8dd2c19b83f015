import type { HealResult, IssueContext } from '../model/heal-result.js';
import type { Secret } from '../safety/redactor.js';
import type { ErrorCode, ProgressEvent, StepEvent } from './events.js';

/** Credentials that a chat may bring (spec 07 A1.2). */
export const SECRET_KEYS = ['jaeger_auth', 'loki_auth', 'github_token', 'e2b_api_key'] as const;

export type SecretKey = (typeof SECRET_KEYS)[number];

/** What a chat has set on top of the operator's configuration. */
export interface ChatSettings {
  readonly repo: string | null;
  readonly service_name: string | null;
  readonly jaeger_url: string | null;
  readonly loki_url: string | null;
  readonly secrets: Readonly<Partial<Record<SecretKey, Secret>>>;
}

export const NO_SETTINGS: ChatSettings = {
  repo: null,
  service_name: null,
  jaeger_url: null,
  loki_url: null,
  secrets: {},
};

/** Which capabilities a session has, by their wire names (spec 07 A1.3). */
export interface CapabilityReport {
  readonly configured: readonly string[];
  readonly unavailable: readonly string[];
  readonly needs_input: readonly string[];
}

export interface Question {
  /** Made by the server, so that a client can come back to a run that has only begun. */
  readonly investigationId: string;
  /** The conversation, whose earlier turns are known by it. */
  readonly sessionId: string;
  readonly issue: IssueContext;
  readonly settings: ChatSettings;
}

/** A run that cannot give a result, with a sentence that is safe to show. */
export class InvestigationFailure extends Error {
  readonly code: Extract<ErrorCode, 'budget' | 'provider' | 'internal'>;

  constructor(code: InvestigationFailure['code'], message: string) {
    super(message);
    this.name = 'InvestigationFailure';
    this.code = code;
  }
}

/** What the server needs of the engine behind it. */
export interface Investigator {
  /** True when a model takes part. */
  readonly usesModel: boolean;
  capabilities(settings: ChatSettings): CapabilityReport;
  /**
   * Runs to the end and stores everything below the archive's directory; steps arrive as their receipts are written.
   *
   * @throws InvestigationFailure when there is no result; whatever else it throws is shown as `internal`
   */
  start(
    question: Question,
    onEvent: (event: StepEvent | ProgressEvent) => void,
    signal: AbortSignal,
  ): Promise<HealResult>;
}
