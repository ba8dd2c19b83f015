import { type BandLimits, DEFAULT_BANDS } from './model/confidence.js';
import { CORROBORATION_GAP_S } from './policy/strict.js';
import type { SandboxChoice } from './sandbox/choice.js';

/** Settings of an investigation (spec 07 B17). */
export interface InvestigateConfig {
  readonly cooldownS: number;
  readonly queueMax: number;
  readonly keep: number;
  readonly profile: 'strict' | 'reference';
  readonly corroborationMaxGapS: number;
  readonly stateMaxAgeS: number;
  readonly maxModelRequests: number;
  readonly maxToolCalls: number;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly maxWallS: number;
  readonly maxToolResultChars: number;
  readonly maxHttpBytes: number;
  readonly httpTimeoutS: number;
  readonly modelContextTokens: number;
  readonly retryConfidence: number;
  readonly verifierEnabled: boolean;
  readonly verifierMinBand: 'low' | 'medium' | 'high';
  readonly keepTranscript: boolean;
  readonly sourceRoots: readonly string[];
  readonly sandboxDriver: SandboxChoice;
  /** For all runs of one reproduction together. */
  readonly sandboxWallS: number;
  /** Program and arguments of an MCP server that is asked in place of GitHub's REST API; empty for none. */
  readonly githubMcpCommand: readonly string[];
  readonly urlAllowlist: readonly string[];
  readonly lokiServiceLabel: string;
  readonly githubApiUrl: string;
  readonly jaegerUrl: string;
  readonly lokiUrl: string;
  readonly bands: BandLimits;
}

export const DEFAULT_CONFIG: InvestigateConfig = {
  cooldownS: 900,
  queueMax: 8,
  keep: 50,
  profile: 'strict',
  corroborationMaxGapS: CORROBORATION_GAP_S,
  stateMaxAgeS: 300,
  maxModelRequests: 20,
  maxToolCalls: 40,
  maxInputTokens: 200_000,
  maxOutputTokens: 20_000,
  maxWallS: 300,
  maxToolResultChars: 12_000,
  maxHttpBytes: 8 * 1024 * 1024,
  httpTimeoutS: 20,
  modelContextTokens: 128_000,
  retryConfidence: 0.4,
  verifierEnabled: false,
  verifierMinBand: 'medium',
  keepTranscript: true,
  sourceRoots: [],
  sandboxDriver: 'auto',
  sandboxWallS: 90,
  githubMcpCommand: [],
  urlAllowlist: [],
  lokiServiceLabel: 'compose_service',
  githubApiUrl: 'https://api.github.com',
  jaegerUrl: '',
  lokiUrl: '',
  bands: DEFAULT_BANDS,
};
