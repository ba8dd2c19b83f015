import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Looks at the session alone: what this machine has or lacks must not matter. */
const QUIET = { disable_local_probe: true, external_deps_enabled: false, llm_rca_enabled: false };

export interface RequestParts {
  readonly sessionDir: string;
  readonly sessionId?: string;
  readonly tick?: number;
  readonly crashCount?: number;
  readonly stopReason?: string;
  readonly nowUnix?: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A request whose prompt reports crashes: from five on the tick has something HIGH to say whatever the machine is like. */
export function tickRequest(parts: RequestParts) {
  const {
    sessionDir,
    sessionId = 's',
    tick = 1,
    crashCount = 5,
    stopReason = '(none)',
    nowUnix,
    options,
  } = parts;
  const prompt = [
    '=== Shared session state ===',
    `crash_count=${crashCount}`,
    `tick=${tick}`,
    `stop_reason=${stopReason}`,
  ].join('\n');
  return {
    kind: 'coordinator_inbox',
    session_id: sessionId,
    raw_prompt: prompt,
    context: { tick_index: tick, ...(nowUnix === undefined ? {} : { now_unix: nowUnix }) },
    options: { session_dir: sessionDir, ...QUIET, ...options },
  };
}

/** Writes a request where the Coordinator would, and names the answer's place beside it. */
export function requestFiles(directory: string, parts: RequestParts): { request: string; out: string } {
  const turn = join(directory, 'robustness-workdir', String(parts.tick ?? 1).padStart(6, '0'));
  mkdirSync(turn, { recursive: true });
  const request = join(turn, 'request.json');
  writeFileSync(request, JSON.stringify(tickRequest(parts)));
  return { request, out: join(turn, 'emit.json') };
}
