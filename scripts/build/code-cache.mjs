import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const TRAINING = fileURLToPath(new URL('./train.mjs', import.meta.url));

/**
 * Runs a few ticks of a made-up session in one process and keeps what V8 compiled for them, beside the bundle. In a process
 * of its own and without the caller's options for Node, because V8 takes compiled code only under the flags it was made with.
 */
export async function writeCodeCache(dist) {
  const directory = mkdtempSync(join(tmpdir(), 'robustness-build-'));
  try {
    const loader = join(directory, 'loader.cjs');
    await build({
      entryPoints: ['src/runtime/start/bundle.ts'],
      outfile: loader,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'warning',
    });
    const { PATH, HOME } = process.env;
    const { status, signal } = spawnSync(process.execPath, [TRAINING, loader, resolve(dist), directory], {
      env: { PATH, HOME },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 60_000,
    });
    if (status !== 0) throw new Error(`the training ticks ended with ${signal ?? status}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
