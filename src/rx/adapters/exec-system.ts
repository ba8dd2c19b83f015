import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricsOf, readRun } from './read-run.js';
import { type ProgramEnd, type ProgramLimits, runProgram } from './run-program.js';
import {
  type MeasuredRun,
  type RunRequest,
  SystemFailure,
  type SystemUnderTest,
  type TracedRun,
} from './system.js';

/** A real system, started anew for every run (06 F.8). */
export interface ExecOptions {
  /** A command line for the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limits: ProgramLimits;
  readonly signal?: AbortSignal;
}

/** Time and output limits of one run (06 F.8). */
export const DEFAULT_LIMITS: ProgramLimits = { timeoutMs: 600_000, maxOutputBytes: 64 * 1024 * 1024 };

/**
 * The program gets RX_CONFIG_JSON, RX_SEED, RX_ARM and RX_OUT and writes its events to the RX_OUT file.
 *
 * Its methods throw SystemFailure when the run of rx itself was interrupted.
 */
export function execSystem(options: ExecOptions): SystemUnderTest {
  const run = async (request: RunRequest): Promise<TracedRun> => {
    const directory = await mkdtemp(join(tmpdir(), 'rx-run-'));
    try {
      return await runIn(directory, request, options);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
  return {
    async measure(request): Promise<MeasuredRun> {
      const traced = await run(request);
      return traced.ok ? { ok: true, metrics: metricsOf(traced.events) } : traced;
    },
    async trace(request, place): Promise<TracedRun> {
      const traced = await run(request);
      if (!traced.ok) return traced;
      return {
        ok: true,
        events: traced.events.map((event) => ({ ...event, run_id: `${place}:${event.run_id}` })),
      };
    },
  };
}

async function runIn(directory: string, request: RunRequest, options: ExecOptions): Promise<TracedRun> {
  const out = join(directory, 'events.ndjson');
  const end = await runProgram({
    command: options.command,
    cwd: options.cwd,
    env: {
      ...options.env,
      RX_CONFIG_JSON: JSON.stringify(request.config),
      RX_SEED: String(request.seed),
      RX_ARM: request.arm,
      RX_OUT: out,
    },
    watchedFile: out,
    limits: options.limits,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (end.kind === 'aborted') throw new SystemFailure('interrupted');
  const failure = describeFailure(end, options.limits);
  return failure === null ? readRun(out) : { ok: false, reason: failure };
}

/** Why the program's end is a failed run, or null. */
function describeFailure(end: ProgramEnd, limits: ProgramLimits): string | null {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? null : `exit code ${end.code}${lastLine(end.stderr)}`;
    case 'signalled':
      return `ended by ${end.signal}${lastLine(end.stderr)}`;
    case 'timed_out':
      return `not finished after ${limits.timeoutMs / 1000} s`;
    case 'too_much_output':
      return `more than ${limits.maxOutputBytes} bytes in RX_OUT`;
    case 'not_started':
      return `cannot be started: ${end.message}`;
    case 'aborted':
      return 'interrupted';
  }
}

function lastLine(stderr: string): string {
  const line = stderr.split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 300)}`;
}
