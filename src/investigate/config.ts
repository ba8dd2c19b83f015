import { defaultsOf } from '../foreign/config-field.js';
import { investigateFields } from '../foreign/investigate-fields.js';
import type { Price } from '../llm/budget.js';
import type { BandLimits, ConfidenceLevel } from './model/confidence.js';
import { readInvestigateConfig } from './read-config.js';
import type { SandboxChoice } from './sandbox/choice.js';

/** Settings of an investigation as it uses them (spec 07 B17); the names on the wire are those of `investigateFields`. */
export interface InvestigateConfig {
  readonly keep: number;
  readonly profile: 'strict' | 'reference';
  readonly corroborationMaxGapS: number;
  readonly stateMaxAgeS: number;
  readonly maxModelRequests: number;
  readonly maxToolCalls: number;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly maxWallS: number;
  /** Null without a limit. */
  readonly maxCostUsd: number | null;
  /** By model, as it is called at its provider. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly maxToolResultChars: number;
  readonly maxHttpBytes: number;
  readonly httpTimeoutS: number;
  /** Empty: as the provider's settings say. */
  readonly model: string;
  readonly modelContextTokens: number;
  readonly retryConfidence: number;
  readonly fastpathConfidence: number;
  readonly verifierEnabled: boolean;
  /** Empty: the model that investigates. */
  readonly verifierModel: string;
  readonly verifierMinBand: ConfidenceLevel;
  readonly keepTranscript: boolean;
  readonly sourceRoots: readonly string[];
  readonly sandboxDriver: SandboxChoice;
  /** For all runs of one reproduction together. */
  readonly sandboxWallS: number;
  /** Program and arguments of an MCP server that is asked in place of GitHub's REST API; empty for none. */
  readonly githubMcpCommand: readonly string[];
  /** Address of such a server that is there already; empty for none. */
  readonly githubMcpUrl: string;
  readonly maskIdentifiers: boolean;
  /** Null: for questions in words, not for findings. */
  readonly abstractUserFields: boolean | null;
  readonly lokiServiceLabel: string;
  readonly githubApiUrl: string;
  readonly jaegerUrl: string;
  readonly lokiUrl: string;
  /** Services whose address a chat gave: they may not be on a private one (spec 07 B8.1). */
  readonly chatOrigins: readonly ('jaeger' | 'loki')[];
  readonly bands: BandLimits;
}

export const DEFAULT_CONFIG: InvestigateConfig = readInvestigateConfig(
  defaultsOf(investigateFields()),
).config;
