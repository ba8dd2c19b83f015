/** Bounds of the server (spec 07 B14); times in ms. */
export interface ServerLimits {
  readonly bodyBytes: number;
  readonly chatsPerMinute: number;
  readonly maxConcurrent: number;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly sessionAgeMs: number;
  /** How long a run goes on when nobody listens. */
  readonly detachMs: number;
  readonly pingMs: number;
  readonly shutdownMs: number;
  /** Open event streams of the whole process. */
  readonly maxStreams: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 64 * 1024,
  chatsPerMinute: 20,
  maxConcurrent: 2,
  maxSessions: 200,
  sessionIdleMs: 3_600_000,
  sessionAgeMs: 24 * 3_600_000,
  detachMs: 60_000,
  pingMs: 15_000,
  shutdownMs: 10_000,
  maxStreams: 64,
};
