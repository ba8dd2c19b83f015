import { basename, extname } from 'node:path';
import { createFileTree } from '../evidence/file-tree.js';
import { matchEvidence } from '../evidence/fingerprints.js';
import { parseFrame } from '../evidence/frames.js';
import type { ShownError } from '../evidence/same-error.js';
import type { BoxRun } from './box.js';
import { SOURCE_IN_BOX } from './box.js';
import { runnerOf } from './runners.js';
import type { Workshop } from './workshop.js';

/** What a reproduction says will happen; code checks it (spec 07 B13). */
export interface Proposal {
  /** Names of files written before. */
  readonly script: string;
  readonly controlScript: string;
  readonly expect: { readonly exit: 'nonzero' | number; readonly stderrContains: string };
}

export interface Verification {
  /** Why it does not hold; null when it does. */
  readonly problem: string | null;
  /** Line of the suspect file that the failing run named. */
  readonly line: number | null;
  /** What the failing run said, in its expected words where these say enough. */
  readonly error: ShownError | null;
  readonly last: BoxRun | null;
  readonly script: string;
  /** How often something was run; 0 when it could not even be tried. */
  readonly runs: number;
}

const SHORTEST_EXPECTATION = 8;
const RUN_MS = 30_000;

/** Runs script, script and control, and decides whether the fault of the suspect file was shown (spec 07 B13, R). */
export async function verifyProposal(
  { script, controlScript, expect }: Proposal,
  suspect: string,
  workshop: Workshop,
): Promise<Verification> {
  const text = workshop.file(script);
  const control = workshop.file(controlScript);
  const refused = (problem: string): Verification => ({
    problem,
    line: null,
    error: null,
    last: null,
    script: text ?? '',
    runs: 0,
  });
  if (text === null || control === null)
    return refused('script and control_script are names of files written before');
  const wording = wordingProblem(
    { script: text, control },
    expect.stderrContains,
    suspect,
    workshop.contents(),
  );
  if (wording !== null) return refused(wording);
  let line: number | null = null;
  let last: BoxRun | null = null;
  for (const [index, attempt] of ['first', 'second'].entries()) {
    last = await runScript(script, workshop);
    line = shownLine(last, suspect, workshop);
    const problem = mismatch(last, expect) ?? (line === null ? `no stack frame in ${suspect}` : null);
    if (problem !== null) {
      return {
        problem: `${attempt} run: ${problem}`,
        line: null,
        error: null,
        last,
        script: text,
        runs: index + 1,
      };
    }
  }
  const calm = await runScript(controlScript, workshop);
  const isCalm = calm.ended === 'exit' && calm.exit === 0;
  const problem = isCalm ? null : `the control script does not end with 0 (${endOf(calm)})`;
  const error = isCalm && last !== null ? errorOf(last.stderr, expect.stderrContains) : null;
  return { problem, line: isCalm ? line : null, error, last, script: text, runs: 3 };
}

/** The error in what a run said: on a line with the expected words, else anywhere. */
function errorOf(stderr: string, wanted: string): ShownError {
  const expected = stderr.split('\n').filter((text) => text.includes(wanted));
  const hit = matchEvidence(expected.join('\n')) ?? matchEvidence(stderr);
  return { fingerprint: hit?.fingerprint.id ?? null, text: hit?.line ?? null };
}

/** The scripts must be about the file, and nothing written for them may hold what they are to provoke. */
function wordingProblem(
  scripts: { readonly script: string; readonly control: string },
  wanted: string,
  suspect: string,
  written: readonly string[],
): string | null {
  if (wanted.trim().length < SHORTEST_EXPECTATION) {
    return `expect.stderr_contains has at least ${SHORTEST_EXPECTATION} characters`;
  }
  if (written.some((text) => text.includes(wanted))) {
    return 'a file written for it contains the text that it is to provoke';
  }
  const lines = written.flatMap((text) => text.split('\n'));
  if (lines.some((line) => parseFrame(line)?.path.endsWith(suspect) === true)) {
    return 'a file written for it contains the stack frame that it is to provoke';
  }
  const stem = basename(suspect, extname(suspect));
  const name = stem === '__init__' || stem === 'index' ? (suspect.split('/').at(-2) ?? stem) : stem;
  if (!scripts.script.includes(name)) return `the script does not use ${name}`;
  return scripts.control.includes(name) ? null : `the control script does not use ${name}`;
}

function runScript(name: string, workshop: Workshop): Promise<BoxRun> {
  const runner = runnerOf(name);
  return workshop.run([...(runner?.command ?? ['sh']), name], RUN_MS);
}

function mismatch(run: BoxRun, { exit, stderrContains }: Proposal['expect']): string | null {
  if (run.ended !== 'exit') return endOf(run);
  if (exit === 'nonzero' ? run.exit === 0 : run.exit !== exit)
    return `exit status ${run.exit}, expected ${exit}`;
  return run.stderr.includes(stderrContains) ? null : 'the expected text is not in stderr';
}

function endOf(run: BoxRun): string {
  if (run.ended === 'exit') return `exit status ${run.exit}`;
  return run.ended === 'failed' ? run.problem : `ended by the limit: ${run.ended}`;
}

/** The innermost line of the suspect file that a run's stack traces name, if that line is there. */
function shownLine(run: BoxRun, suspect: string, workshop: Workshop): number | null {
  const tree = createFileTree(workshop.sourceFiles);
  const frames = `${run.stderr}\n${run.stdout}`.split('\n').flatMap((text) => {
    const frame = parseFrame(text);
    if (frame === null) return [];
    const path = frame.path.startsWith(`${SOURCE_IN_BOX}/`)
      ? frame.path.slice(SOURCE_IN_BOX.length + 1)
      : frame.path.startsWith('/')
        ? null
        : tree.resolve(frame);
    return path === suspect && workshop.hasLine(suspect, frame.line) ? [frame] : [];
  });
  const innermost = frames.some(({ isPython }) => isPython) ? frames.at(-1) : frames[0];
  return innermost?.line ?? null;
}
