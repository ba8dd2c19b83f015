/** Tokens of one answer as the provider counts them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly cacheReadInputTokens: number;
}

/** Sum over a period, in its wire form (spec 01 §1.5, 05 B.10); the keys after `model` are additive, absent when 0. */
export type UsageReport = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Successful calls, also those without a usage block. */
  readonly calls: number;
  /** Whole milliseconds of the successful calls, retries included. */
  readonly latency_ms: number;
  readonly model: string;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  /** HTTP requests that gave no usable answer: they may have cost something, too. */
  readonly failed_attempts?: number;
};

/** Adds up what calls cost. */
export interface UsageMeter {
  succeeded(usage: TokenUsage | undefined, latencyMs: number): void;
  /** A failed HTTP request, with whatever usage its answer named. */
  failed(usage?: TokenUsage): void;
  /** The sum so far, which then starts again; null when there was no successful call and no token was billed. */
  drain(): UsageReport | null;
}

const ZERO: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/** Adds two usages. */
export function addUsage(a: TokenUsage, b: TokenUsage | undefined): TokenUsage {
  if (!b) return a;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheCreationInputTokens: a.cacheCreationInputTokens + b.cacheCreationInputTokens,
    cacheReadInputTokens: a.cacheReadInputTokens + b.cacheReadInputTokens,
  };
}

export function createUsageMeter(model: string): UsageMeter {
  let tokens = ZERO;
  let calls = 0;
  let latencyMs = 0;
  let failedAttempts = 0;
  return {
    succeeded(usage, latency) {
      tokens = addUsage(tokens, usage);
      calls += 1;
      latencyMs += latency;
    },
    failed(usage) {
      tokens = addUsage(tokens, usage);
      failedAttempts += 1;
    },
    drain() {
      const report = reportOf(tokens, calls, latencyMs, failedAttempts, model);
      const isSilent = calls === 0 && tokens.inputTokens === 0 && tokens.outputTokens === 0;
      tokens = ZERO;
      calls = 0;
      latencyMs = 0;
      failedAttempts = 0;
      return isSilent ? null : report;
    },
  };
}

function reportOf(
  tokens: TokenUsage,
  calls: number,
  latencyMs: number,
  failedAttempts: number,
  model: string,
): UsageReport {
  return {
    input_tokens: tokens.inputTokens,
    output_tokens: tokens.outputTokens,
    calls,
    latency_ms: Math.round(latencyMs),
    model,
    ...(tokens.cacheCreationInputTokens > 0 && {
      cache_creation_input_tokens: tokens.cacheCreationInputTokens,
    }),
    ...(tokens.cacheReadInputTokens > 0 && { cache_read_input_tokens: tokens.cacheReadInputTokens }),
    ...(failedAttempts > 0 && { failed_attempts: failedAttempts }),
  };
}
