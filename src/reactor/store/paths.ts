import { join } from 'node:path';

/** Everything of ours in a session directory lives below this. */
export function agentDirectory(sessionDir: string): string {
  return join(sessionDir, 'agents', 'robustness');
}

/** Detector state: `tick` and the standalone loop keep one each, so that neither mutes the other (spec 01 §1.11). */
export function statePath(sessionDir: string, origin: 'tick' | 'run' = 'tick'): string {
  return join(
    agentDirectory(sessionDir),
    origin === 'tick' ? 'detector_state.json' : 'detector_state.run.json',
  );
}

export function findingsPath(sessionDir: string, sessionId: string): string {
  return join(agentDirectory(sessionDir), 'findings', `${fileId(sessionId)}.jsonl`);
}

export function presencePath(sessionDir: string, sessionId: string): string {
  return join(agentDirectory(sessionDir), 'presence', `${fileId(sessionId)}.jsonl`);
}

export function silencesPath(sessionDir: string): string {
  return join(agentDirectory(sessionDir), 'silences.json');
}

/** Longest file name that we make of an id, UTF-8 bytes. */
const MAX_ID_BYTES = 200;
const UNSAFE = /[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * A session id as a file name (spec 01 §6): separators and control characters become `_`, nothing can leave the directory,
 * and the name of every real directory maps to itself, because the Critic looks up the raw id.
 */
export function fileId(sessionId: string): string {
  const safe = sessionId.replace(UNSAFE, '_');
  if (safe === '') return 'default';
  const dotted = safe === '.' || safe === '..' ? `_${safe}` : safe;
  // No UTF-16 unit takes more than three bytes.
  if (dotted.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(dotted, 'utf8') <= MAX_ID_BYTES) return dotted;
  let cut = '';
  let bytes = 0;
  for (const char of dotted) {
    bytes += Buffer.byteLength(char, 'utf8');
    if (bytes > MAX_ID_BYTES) break;
    cut += char;
  }
  return cut;
}
