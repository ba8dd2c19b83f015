import { statfsSync } from 'node:fs';
import { findExecutable } from '../tools/find-executable.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';

/** What a file system says of itself. */
export interface FileSystemUse {
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** To users without privileges. */
  readonly availableBytes: number;
  /** 0 where the file system has no fixed number of them. */
  readonly inodes: number;
  readonly freeInodes: number;
}

const CHILD_TIMEOUT_MS = 800;

/**
 * Asks a file system how full it is. One that may never answer is asked by a child that can be left behind; the others are
 * asked directly, which costs nothing.
 */
export async function statFileSystem(
  path: string,
  mayHang: boolean,
  env: Readonly<Record<string, string | undefined>>,
  signal: Stop,
): Promise<FileSystemUse | 'timeout' | 'unknown'> {
  return mayHang ? askInChild(path, env, signal) : ask(path);
}

function ask(path: string): FileSystemUse | 'unknown' {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(path);
    return {
      totalBytes: blocks * bsize,
      freeBytes: bfree * bsize,
      availableBytes: bavail * bsize,
      inodes: files,
      freeInodes: ffree,
    };
  } catch {
    // Not mounted here, or not for us.
    return 'unknown';
  }
}

async function askInChild(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: Stop,
): Promise<FileSystemUse | 'timeout' | 'unknown'> {
  const executable = findExecutable('stat', env['PATH']);
  if (executable === null) return 'unknown';
  const args = ['-f', '-c', '%S %b %f %a %c %d', '--', path];
  const outcome = await runTool({ executable, args, env, timeoutMs: CHILD_TIMEOUT_MS, signal });
  if (outcome.kind === 'timeout') return 'timeout';
  if (outcome.kind !== 'exited' || outcome.code !== 0) return 'unknown';
  const numbers = outcome.stdout.trim().split(/\s+/).map(Number);
  const [size, blocks, free, available, inodes, freeInodes] = numbers;
  if (numbers.length !== 6 || numbers.some((number) => !Number.isFinite(number))) return 'unknown';
  const unit = size ?? 0;
  return {
    totalBytes: (blocks ?? 0) * unit,
    freeBytes: (free ?? 0) * unit,
    availableBytes: (available ?? 0) * unit,
    inodes: inodes ?? 0,
    freeInodes: freeInodes ?? 0,
  };
}
