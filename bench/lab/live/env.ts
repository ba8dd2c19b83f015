/** Variables that would change decisions or call a model. */
const FOREIGN =
  /^(ROBUSTNESS_|INFERENCE_OPTIMIZER_|SESSION_DIR$|OPENAI_|ANTHROPIC_|LLM_|DEEPSEEK_|CLAUDE_|TRACELENS_|RAY_)/;

/** The environment of this process for a tick of a live session, without what is not the session's. */
export function liveEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !FOREIGN.test(entry[0]),
    ),
  );
}

/**
 * Request options of live sessions: how full this machine's own file systems are must not matter, and short waits keep
 * frozen servers from making a session slow.
 */
export const LIVE_OPTIONS = {
  health_probe_timeout_s: 0.5,
  disk_used_warn_pct: 100,
  disk_used_crit_pct: 100,
  shm_used_warn_pct: 100,
  shm_used_crit_pct: 100,
} as const;

/**
 * Start of the virtual clock, unix s: a little in the future, so that what the kernel of this machine wrote before is too
 * old to be news.
 */
export function liveStart(): number {
  return Math.floor(Date.now() / 1000) + 700;
}
