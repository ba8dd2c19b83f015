import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { findExecutable } from '../../../src/sources/tools/find-executable.js';
import { temporaryDirectory } from './tree.js';

/** A file system of user space that can be stopped, so that every call on it hangs in the kernel. */
export interface StoppableMount {
  readonly path: string;
  /** From now on nothing on it answers. */
  stop(): void;
  /** It answers again. */
  resume(): void;
}

/** Why such a file system cannot be mounted here; null when it can. */
export function mountObstacle(): string | null {
  if (findExecutable('bindfs', process.env['PATH']) === null) return 'bindfs is not installed';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    return '/dev/fuse cannot be used';
  }
  const probe = join('/tmp', `fuse-probe-${process.pid}`);
  mkdirSync(join(probe, 'a'), { recursive: true });
  mkdirSync(join(probe, 'b'), { recursive: true });
  const mounted = spawnSync('bindfs', [join(probe, 'a'), join(probe, 'b')], {
    timeout: 5000,
    encoding: 'utf8',
  });
  spawnSync('fusermount', ['-u', join(probe, 'b')], { timeout: 5000 });
  spawnSync('rm', ['-rf', '--one-file-system', probe]);
  return mounted.status === 0 ? null : `the kernel refuses the mount: ${mounted.stderr.trim()}`;
}

/** Mounts a directory with one file in it for the time of a test. */
export async function stoppableMount(): Promise<StoppableMount> {
  const root = temporaryDirectory();
  const source = join(root, 'source');
  const path = join(root, 'mounted');
  mkdirSync(source);
  mkdirSync(path);
  writeFileSync(join(source, 'file'), 'content');
  const daemon = spawn('bindfs', ['-f', source, path], { stdio: 'ignore' });
  onTestFinished(() => {
    daemon.kill('SIGCONT');
    spawnSync('fusermount', ['-u', '-z', path], { timeout: 5000 });
    daemon.kill('SIGKILL');
  });
  for (let i = 0; i < 500 && !readFileSync('/proc/mounts', 'utf8').includes(` ${path} `); i += 1)
    await delay(10);
  return {
    path,
    stop: () => void daemon.kill('SIGSTOP'),
    resume: () => void daemon.kill('SIGCONT'),
  };
}
