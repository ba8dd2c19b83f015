import { closeSync, openSync, readSync } from 'node:fs';

/** Read into again and again: a listing of all processes would otherwise be mostly garbage collection. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * A file of `/proc` or `/sys`, whose size says nothing, as text of at most `maxBytes`; undefined when it cannot be read.
 * For files that the kernel writes: links are followed.
 */
export function readPseudoFile(path: string, maxBytes: number): string | undefined {
  return readWith(path, (fd) => readAll(fd, maxBytes));
}

/** The same for a file that the kernel gives whole in one reading, such as `/proc/<pid>/stat`. */
export function readPseudoLine(path: string): string | undefined {
  return readWith(path, (fd) =>
    scratch.toString('latin1', 0, readSync(fd, scratch, 0, scratch.length, null)),
  );
}

function readWith(path: string, read: (fd: number) => string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // Vanished with its process, or not for us.
    return undefined;
  }
  try {
    return read(fd);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function readAll(fd: number, maxBytes: number): string {
  const chunks: Buffer[] = [];
  let total = 0;
  let filled = 0;
  while (total < maxBytes) {
    const count = readSync(fd, scratch, filled, Math.min(scratch.length - filled, maxBytes - total), null);
    if (count === 0) break;
    total += count;
    filled += count;
    if (filled < scratch.length) continue;
    chunks.push(Buffer.from(scratch));
    filled = 0;
  }
  const last = scratch.subarray(0, filled);
  return chunks.length === 0 ? last.toString('utf8') : Buffer.concat([...chunks, last]).toString('utf8');
}
