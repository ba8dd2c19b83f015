import { spawn } from 'node:child_process';
import { findExecutable } from '../../../sources/tools/find-executable.js';

const SYSTEM_PATH = '/usr/bin:/bin:/usr/local/bin';
const MAX_BYTES = 64 * 1024 * 1024;

export type Packed =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: string };

/** A prepared tree as one compressed archive, for where it cannot be shown as it is. Never throws. */
export function packTree(directory: string, signal: AbortSignal, maxBytes = MAX_BYTES): Promise<Packed> {
  const tar = findExecutable('tar', SYSTEM_PATH);
  if (tar === null) return Promise.resolve(refused('tar is not installed'));
  return new Promise((resolve) => {
    const child = spawn(tar, ['-czf', '-', '-C', directory, '.'], {
      env: { PATH: SYSTEM_PATH },
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else child.kill('SIGKILL');
    });
    child.on('error', () => resolve(refused(signal.aborted ? 'it was cancelled' : 'tar cannot be started')));
    child.on('close', (code) => {
      if (size > maxBytes) resolve(refused(`the archive is larger than ${maxBytes} bytes`));
      else resolve(code === 0 ? { ok: true, bytes: Buffer.concat(chunks) } : refused('tar failed'));
    });
  });
}

function refused(problem: string): Packed {
  return { ok: false, problem: `the source tree cannot be sent: ${problem}` };
}
