import { type Clock, systemClock } from './deadline.js';
import { addUsage, type TokenUsage } from './usage.js';

/** US dollars per million tokens. */
export interface Price {
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** For tokens written to and read from the provider's prompt cache; the input price where absent. */
  readonly cacheWriteUsd?: number;
  readonly cacheReadUsd?: number;
}

/** Limits of one piece of work; an absent one does not limit (spec 07 B10.5). */
export interface BudgetLimits {
  readonly maxRequests?: number;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxWallMs?: number;
  /** Needs a price, because a limit that cannot be computed would be none. */
  readonly maxCost?: { readonly usd: number; readonly price: Price };
}

export type BudgetLimit = 'requests' | 'input_tokens' | 'output_tokens' | 'wall_time' | 'cost';

export interface BudgetSpent {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly wallMs: number;
  /** Null without a price. */
  readonly costUsd: number | null;
}

/** What a piece of work may spend on a model, and has spent. */
export interface Budget {
  /** The first limit that is reached, or null: another request may be made. */
  exceeded(): BudgetLimit | null;
  /** Counts one HTTP request before it is made. */
  request(): void;
  /**
   * Counts what an answer cost; without a usage block, by characters sent and received.
   *
   * @param price of the model that answered, where it is another one than that of the limit
   */
  charge(
    usage: TokenUsage | undefined,
    charactersSent: number,
    charactersReceived: number,
    price?: Price,
  ): void;
  spent(): BudgetSpent;
  /** Share of the limit that is nearest to being reached, 0 to 1; 0 without limits. */
  usedShare(): number;
  /** Milliseconds of wall time left; infinite without that limit. */
  remainingMs(): number;
}

/** Tokens per character where the provider does not count them (spec 07 B10.5). */
const CHARACTERS_PER_TOKEN = 4;

export function createBudget(limits: BudgetLimits, clock: Clock = systemClock): Budget {
  const begun = clock.now();
  let requests = 0;
  let cost = 0;
  let tokens: TokenUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };

  const spent = (): BudgetSpent => ({
    requests,
    inputTokens: tokens.inputTokens + tokens.cacheCreationInputTokens + tokens.cacheReadInputTokens,
    outputTokens: tokens.outputTokens,
    wallMs: clock.now() - begun,
    costUsd: limits.maxCost ? cost : null,
  });
  const shares = (): [BudgetLimit, number][] => {
    const now = spent();
    return [
      ['requests', share(now.requests, limits.maxRequests)],
      ['input_tokens', share(now.inputTokens, limits.maxInputTokens)],
      ['output_tokens', share(now.outputTokens, limits.maxOutputTokens)],
      ['wall_time', share(now.wallMs, limits.maxWallMs)],
      ['cost', share(now.costUsd ?? 0, limits.maxCost?.usd)],
    ];
  };
  return {
    exceeded: () => shares().find(([, used]) => used >= 1)?.[0] ?? null,
    request() {
      requests += 1;
    },
    charge(usage, sent, received, price = limits.maxCost?.price) {
      const used = usage ?? estimated(sent, received);
      tokens = addUsage(tokens, used);
      if (price !== undefined) cost += costUsd(used, price);
    },
    spent,
    usedShare: () => Math.min(1, Math.max(...shares().map(([, used]) => used))),
    remainingMs: () =>
      limits.maxWallMs === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(0, limits.maxWallMs - spent().wallMs),
  };
}

/** Cost of so many tokens in US dollars. */
export function costUsd(tokens: TokenUsage, price: Price): number {
  const dollars =
    tokens.inputTokens * price.inputUsd +
    tokens.outputTokens * price.outputUsd +
    tokens.cacheCreationInputTokens * (price.cacheWriteUsd ?? price.inputUsd) +
    tokens.cacheReadInputTokens * (price.cacheReadUsd ?? price.inputUsd);
  return dollars / 1e6;
}

function share(used: number, limit: number | undefined): number {
  if (limit === undefined) return 0;
  return limit <= 0 ? 1 : used / limit;
}

function estimated(sent: number, received: number): TokenUsage {
  return {
    inputTokens: Math.ceil(sent / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(received / CHARACTERS_PER_TOKEN),
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };
}
