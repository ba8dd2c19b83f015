import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { framesOfText } from '../evidence/frames.js';
import { parseFrame } from '../evidence/frames.js';
import type { BoxRun, Sandbox } from './bwrap.js';

export const LANGUAGES = ['python', 'node'] as const;

export type Language = (typeof LANGUAGES)[number];

export interface ReproductionRequest {
  /** Prepared source tree, absolute. */
  readonly tree: string;
  /** Suspect file, relative to the tree. */
  readonly filePath: string;
  readonly language: Language;
  /** Must fail as expected. */
  readonly script: string;
  /** Uses the same file and must not fail. */
  readonly controlScript: string;
  readonly expectExit: 'nonzero' | number;
  readonly expectStderr: string;
}

/** What the harness saw; `verified` is its own verdict, never a model's (spec 07 A2, B13). */
export type SandboxResult = {
  readonly reproduced: boolean;
  readonly verified: boolean;
  readonly confirmed_file: string | null;
  readonly confirmed_line: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly repro_script: string;
  readonly attempts: number;
  readonly skip_reason: string | null;
  readonly driver: 'bwrap';
};

const WALL_MS = 90_000;
const STREAM = 8000;
const RUNS = 2;
const COMMANDS: Readonly<Record<Language, readonly string[]>> = {
  python: ['/usr/bin/python3', '-B'],
  node: ['/usr/bin/node', '--jitless'],
};
const NAMES: Readonly<Record<Language, string>> = { python: 'repro.py', node: 'repro.cjs' };

/**
 * Runs the script twice and the control once. Verified: both runs end as expected and show a frame in the suspect file, what
 * is expected on stderr is no text of the script itself, and the control succeeds (spec 07 B13).
 */
export async function reproduce(
  sandbox: Sandbox,
  request: ReproductionRequest,
  signal: AbortSignal,
): Promise<SandboxResult> {
  const { script, controlScript, language, tree } = request;
  const folder = mkdtempSync(join(tmpdir(), 'robustness-repro-'));
  const end = performance.now() + WALL_MS;
  const run = (source: string): Promise<BoxRun> => {
    const path = join(folder, NAMES[language]);
    writeFileSync(path, source, { mode: 0o444 });
    const command = [...COMMANDS[language], `/box/${NAMES[language]}`];
    return sandbox.run(command, { tree, files: { [NAMES[language]]: path } }, Math.max(1, end - performance.now()), signal);
  };
  try {
    const runs: BoxRun[] = [];
    for (let attempt = 0; attempt < RUNS; attempt += 1) runs.push(await run(script));
    const control = await run(controlScript);
    const last = runs.at(-1);
    const isExpected = runs.every((one) => endsAsExpected(one, request));
    const frame = runs.map((one) => frameIn(one, request.filePath)).find((found) => found !== null) ?? null;
    const hasFrames = runs.every((one) => frameIn(one, request.filePath) !== null);
    const verified = isExpected && hasFrames && control.exitCode === 0;
    return {
      reproduced: isExpected,
      verified,
      confirmed_file: verified ? request.filePath : null,
      confirmed_line: verified ? frame : null,
      stdout: (last?.stdout ?? '').slice(0, STREAM),
      stderr: (last?.stderr ?? '').slice(0, STREAM),
      exit_code: last?.exitCode ?? -1,
      repro_script: script,
      attempts: runs.length,
      skip_reason: null,
      driver: 'bwrap',
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function endsAsExpected(run: BoxRun, { expectExit, expectStderr, script }: ReproductionRequest): boolean {
  if (run.exitCode === null) return false;
  const isExit = expectExit === 'nonzero' ? run.exitCode !== 0 : run.exitCode === expectExit;
  // Words of the script itself would come out whatever the code under test does.
  return isExit && !script.includes(expectStderr) && run.stderr.includes(expectStderr);
}

/** The line of the innermost frame in the suspect file, or null. */
function frameIn({ stdout, stderr }: BoxRun, filePath: string): number | null {
  const inside = (path: string): boolean => path === `/box/src/${filePath}`;
  const innermost = framesOfText(`${stdout}\n${stderr}`).find(({ path }) => inside(path));
  if (innermost !== undefined) return innermost.line;
  const frames = `${stdout}\n${stderr}`.split('\n').flatMap((line) => parseFrame(line) ?? []);
  return frames.findLast(({ path }) => inside(path))?.line ?? null;
}
