import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { statOf } from '../../foreign/stat.js';

const POLL_MS = 500;
const CHUNK = 64 * 1024;

/**
 * Lines that are appended to a file from now on, through rotation and truncation; a torn last line is held back until its
 * end arrives. Ends when the signal is aborted.
 *
 * @param from byte position in the file that is there now
 */
export async function* followLines(path: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = from;
  let inode = statOf(path)?.ino;
  let pending = Buffer.alloc(0);
  while (!signal.aborted) {
    const now = statOf(path);
    if (now !== undefined && (now.ino !== inode || now.size < position)) {
      position = 0;
      pending = Buffer.alloc(0);
      inode = now.ino;
    }
    if (now === undefined || now.size === position) {
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      continue;
    }
    const bytes = await readFrom(path, position);
    position += bytes.length;
    pending = Buffer.concat([pending, bytes]);
    for (let end = pending.indexOf(10); end >= 0; end = pending.indexOf(10)) {
      yield pending.subarray(0, end).toString('utf8');
      pending = pending.subarray(end + 1);
    }
  }
}

async function readFrom(path: string, position: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK);
    const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
