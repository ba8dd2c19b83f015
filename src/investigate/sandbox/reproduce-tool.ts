import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatModel } from '../../llm/chat.js';
import { deadlineIn } from '../../llm/deadline.js';
import { ERROR_TYPES } from '../model/error-type.js';
import type { Reproduction } from '../policy/strict.js';
import { stringOf } from '../tools/arguments.js';
import type { Tool, ToolContext, ToolOutcome } from '../tools/tool.js';
import type { SandboxDriver } from './box.js';
import { NOBODY } from './bwrap-arguments.js';
import type { Copied } from './copy-tree.js';
import { REPRODUCIBLE, type SandboxResult, skipped } from './result.js';
import { runnerOf } from './runners.js';
import type { SandboxSource } from './source.js';
import { findReproduction, type SubAgentOutcome } from './sub-agent.js';
import { Workshop } from './workshop.js';

export interface ReproduceOptions {
  readonly driver: SandboxDriver;
  readonly model: ChatModel;
  readonly sources: readonly SandboxSource[];
  /** For all runs of one reproduction together. */
  readonly wallS: number;
}

export interface Reproducing {
  readonly tool: Tool;
  /** What was run so far, for the policy; a skipped one is not among them. */
  readonly reproductions: () => readonly Reproduction[];
  /** Removes the trees that were laid out. */
  close(): void;
}

interface Prepared {
  readonly directory: string;
  readonly copied: Copied;
}

interface Request {
  readonly hypothesis: string;
  readonly errorType: string;
  readonly filePath: string;
}

const MAX_REPRODUCTIONS = 2;
const MAX_STREAM = 8000;
const LOOK_MS = 5000;

/** `reproduce_in_sandbox` as a model sees it (spec 07 A3.5). */
export const REPRODUCE = {
  name: 'reproduce_in_sandbox',
  capability: 'sandbox',
  family: 'sandbox',
  description: `Tries to make one source file fail as supposed, in a sandbox without network. At most ${MAX_REPRODUCTIONS} times, and only for a file that evidence points to.`,
  parameters: {
    hypothesis: { type: 'string', doc: 'what fails, with which input' },
    error_type: { type: 'choice', values: ERROR_TYPES, doc: 'kind of fault' },
    file_path: { type: 'string', maxLength: 1024, doc: 'path in the repository or source root' },
  },
} as const satisfies Omit<Tool, 'run'>;

/** `reproduce_in_sandbox`: the only tool that runs anything (spec 07 B13). */
export function reproduceInSandbox({ driver, model, sources, wallS }: ReproduceOptions): Reproducing {
  const trees = new Map<SandboxSource, Promise<Prepared>>();
  const directories: string[] = [];
  const done: Reproduction[] = [];
  let tried = 0;

  const prepare = async (source: SandboxSource, signal: AbortSignal): Promise<Prepared> => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'robustness-sandbox-')));
    directories.push(directory);
    // The sandbox does not run as root, and must be able to enter.
    if (process.getuid?.() === 0) chownSync(directory, NOBODY, NOBODY);
    return { directory, copied: await source.prepare(directory, signal) };
  };

  const reproduce = async (request: Request, context: ToolContext): Promise<SandboxResult> => {
    const skip = (reason: string): SandboxResult => skipped(reason, driver.name);
    const { errorType, filePath } = request;
    if (!REPRODUCIBLE.some((type) => type === errorType))
      return skip(`a fault of type ${errorType} is not run`);
    if (filePath.trim() === '') return skip('the file is not known');
    const found = await locate(sources, filePath);
    if (found === null)
      return skip('no source tree has this file; take its path from one of the source tools');
    const runner = runnerOf(found.path);
    if (runner === null) return skip(`there is no way to run ${found.path}`);
    if (tried >= MAX_REPRODUCTIONS) return skip(`there are at most ${MAX_REPRODUCTIONS} reproductions`);
    tried += 1;
    const preparing = trees.get(found.source) ?? prepare(found.source, context.signal);
    trees.set(found.source, preparing);
    const { directory, copied } = await preparing;
    if (!copied.ok) return skip(copied.problem);
    if (!copied.files.includes(found.path)) return skip('this file is not handed into a sandbox');
    const workshop = new Workshop({
      driver,
      source: directory,
      sourceFiles: copied.files,
      wallMs: wallS * 1000,
      signal: context.signal,
    });
    const [tool] = runner.command;
    const look = await workshop.run(['sh', '-c', 'command -v "$0"', tool], LOOK_MS);
    if (look.ended !== 'exit' || look.exit !== 0) return skip(`${tool} cannot be found below /usr`);
    const outcome = await ask(request, found.path, workshop, context, model);
    const result = resultOf(outcome, found.path, driver.name, context.clean);
    if (result.skip_reason === null) {
      const error = outcome.verification?.error ?? null;
      done.push({ filePath: found.path, verified: result.verified, line: result.confirmed_line, error });
    }
    return result;
  };

  return {
    tool: {
      ...REPRODUCE,
      async run(args, context) {
        const request = {
          hypothesis: stringOf(args, 'hypothesis'),
          errorType: stringOf(args, 'error_type'),
          filePath: stringOf(args, 'file_path'),
        };
        return outcomeOf(await reproduce(request, context));
      },
    },
    reproductions: () => done,
    close: () => {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function ask(
  { hypothesis, errorType }: Request,
  suspect: string,
  workshop: Workshop,
  { clean, signal }: ToolContext,
  model: ChatModel,
): Promise<SubAgentOutcome> {
  const deadline = deadlineIn(Number.POSITIVE_INFINITY, {
    signal,
    remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
  });
  try {
    const nonce = randomBytes(8).toString('hex');
    const task = {
      hypothesis: clean(hypothesis),
      errorType,
      suspect,
      workshop,
      model,
      deadline,
      clean,
      nonce,
    };
    return await findReproduction(task);
  } finally {
    deadline.clear();
  }
}

async function locate(
  sources: readonly SandboxSource[],
  filePath: string,
): Promise<{ source: SandboxSource; path: string } | null> {
  for (const source of sources) {
    const path = await source.resolve(filePath);
    if (path !== null) return { source, path };
  }
  return null;
}

function resultOf(
  { verification, problem, attempts }: SubAgentOutcome,
  path: string,
  driver: string,
  clean: (line: string) => string,
): SandboxResult {
  if (verification === null || verification.runs === 0)
    return skipped(problem ?? 'nothing was handed in', driver);
  const verified = verification.problem === null;
  const { last, line, script } = verification;
  const lines = (text: string): string => text.split('\n').map(clean).join('\n').slice(-MAX_STREAM);
  return {
    reproduced: verified,
    confirmed_file: verified ? path : null,
    confirmed_line: verified ? line : null,
    stdout: lines(last?.stdout ?? ''),
    stderr: lines(last?.stderr ?? ''),
    exit_code: last?.exit ?? -1,
    repro_script: lines(script),
    attempts,
    skip_reason: null,
    verified,
    driver,
  };
}

function outcomeOf(result: SandboxResult): ToolOutcome {
  const { skip_reason: reason, verified, confirmed_file: file } = result;
  if (reason !== null) {
    return { status: 'denied', cls: 'none', data: result, note: `not tried: ${reason}`, count: 0 };
  }
  return verified
    ? { status: 'ok', cls: 'none', data: result, count: 1, ...(file === null ? {} : { filePath: file }) }
    : { status: 'empty', cls: 'none', data: result, count: 0, note: 'it ran and did not reproduce' };
}
