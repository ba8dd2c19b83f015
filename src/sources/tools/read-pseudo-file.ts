import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK = 65_536;

/**
 * A file of `/proc` or `/sys`, whose size says nothing, as text of at most `maxBytes`; undefined when it cannot be read.
 * For files that the kernel writes: links are followed.
 */
export function readPseudoFile(path: string, maxBytes: number): string | undefined {
  try {
    const fd = openSync(path, 'r');
    try {
      return readAll(fd, maxBytes);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Vanished with its process, or not for us.
    return undefined;
  }
}

function readAll(fd: number, maxBytes: number): string {
  const chunks: Buffer[] = [];
  let room = maxBytes;
  while (room > 0) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, room));
    const count = readSync(fd, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    room -= count;
  }
  return Buffer.concat(chunks).toString('utf8');
}
