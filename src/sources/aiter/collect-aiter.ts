import { basename, isAbsolute, resolve } from 'node:path';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import type { ProcessFact } from '../facts.js';
import { isInside } from '../tools/paths.js';
import type { Stop } from '../tools/stop.js';
import { buildDirectory, jitDirectory } from './jit-directory.js';
import { MAX_ENTRIES, scanTree } from './scan-tree.js';

const COMPILERS = new Set(['hipcc', 'hipcc.bin', 'ninja', 'cc1plus', 'clang', 'clang++', 'clang-cpp']);

/** The look of the collector `aiter`. */
export async function collectAiter(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const jitDir = jitDirectory(env);
  if (jitDir === null) {
    return { verdicts: { aiter: { status: 'empty', reason: 'missing' } }, slots: { local_aiter_jit: {} } };
  }
  const buildDir = buildDirectory(env.env);
  const first = await scanTree(jitDir, signal);
  const second = buildDir === null || isInside(buildDir, jitDir) ? null : await scanTree(buildDir, signal);
  const locks = [...first.lockTimes, ...(second?.lockTimes ?? [])];
  const newest = [first.newestMtime, second?.newestMtime ?? null].filter((time) => time !== null);
  const isTruncated = first.isTruncated || second?.isTruncated === true;
  return {
    verdicts: {
      aiter: { status: 'ok', detail: isTruncated ? `only ${MAX_ENTRIES} entries of a tree were seen` : '' },
    },
    slots: {
      local_aiter_jit: {
        jit_dir: jitDir,
        so_count: first.soCount,
        build_count: first.buildCount,
        lock_count: locks.length,
        oldest_lock_age_s: locks.length === 0 ? null : Math.max(0, env.nowUnix - Math.min(...locks)),
        live_compilers: liveCompilers(env, buildDir === null ? [jitDir] : [jitDir, buildDir]),
        newest_mtime: newest.length === 0 ? null : Math.max(...newest),
      },
    },
  };
}

/** Compilers at work in one of the trees; null when the processes are unknown. */
function liveCompilers({ facts }: CollectorEnv, trees: readonly string[]): number | null {
  if (!facts.processes) return null;
  return facts.processes.processes.filter((fact) => isCompilerIn(fact, trees)).length;
}

function isCompilerIn({ argv, cwd, state }: ProcessFact, trees: readonly string[]): boolean {
  if (state === 'Z' || !argv.slice(0, 2).some((word) => COMPILERS.has(basename(word)))) return false;
  const places = [cwd, ...argv.slice(1).map((word) => pathIn(word, cwd))];
  return places.some((place) => place !== '' && trees.some((tree) => isInside(place, tree)));
}

/** The path that an argument holds: the word itself, or what follows an option such as `-I` or `--out=`. */
function pathIn(word: string, cwd: string): string {
  const path = word.startsWith('-')
    ? (/^-[A-Za-z]?([/.].*)$/.exec(word)?.[1] ?? word.split('=', 2)[1] ?? '')
    : word;
  if (path === '' || path.includes('\0')) return '';
  if (isAbsolute(path)) return path;
  return isAbsolute(cwd) ? resolve(cwd, path) : '';
}
