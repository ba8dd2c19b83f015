import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcStat, parseProcStat, startUnix } from '../liveness.js';
import { breathe } from '../tools/breathe.js';
import { readPseudoFile, readPseudoLine } from '../tools/read-pseudo-file.js';
import type { Stop } from '../tools/stop.js';

/** A process as `/proc` shows it. */
export interface RawProcess {
  readonly pid: number;
  readonly ppid: number;
  /** Null when it is looked up later, for those that matter. */
  readonly uid: number | null;
  readonly state: string;
  readonly startUnix: number | null;
  /** Title of at most 15 characters. */
  readonly comm: string;
  /** Empty for zombies and for what may not be read. */
  readonly argv: readonly string[];
  /** MiB; null when it is read later, for those that matter. */
  readonly rssMb: number | null;
}

const COMMAND_BYTES = 128 * 1024;
const STATUS_BYTES = 16 * 1024;
const ENVIRONMENT_BYTES = 256 * 1024;
/** Processes read before others get their turn. */
const BATCH = 128;

/** Reads command lines that may block, by pid; what does not answer is left out. */
export type CommandReader = (pids: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * Every process but the kernel's threads, or null when `/proc` cannot be listed.
 *
 * The command line of a process in uninterruptible sleep is left to `readBlocked`: the kernel makes the reader wait for the
 * memory map that such a process may hold, and nothing could interrupt us then.
 */
export async function readProcTable(
  procRoot: string,
  readBlocked: CommandReader,
  signal: Stop,
): Promise<RawProcess[] | null> {
  const pids = pidsIn(procRoot);
  if (pids === null) return null;
  const processes: RawProcess[] = [];
  const blocked: number[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH === BATCH - 1) await breathe(signal);
    const directory = `${procRoot}/${pid}`;
    const stat = statOf(directory);
    if (stat === undefined || stat.isKernelThread) continue;
    const isBlocked = stat.state === 'D';
    if (isBlocked) blocked.push(pid);
    const command =
      isBlocked || stat.state === 'Z' ? undefined : readPseudoFile(join(directory, 'cmdline'), COMMAND_BYTES);
    processes.push({
      pid,
      ppid: stat.ppid,
      uid: null,
      state: stat.state,
      startUnix: startUnix(procRoot, stat.startTicks),
      comm: stat.comm,
      argv: splitCommand(command ?? ''),
      rssMb: null,
    });
  }
  if (blocked.length === 0) return processes;
  const commands = await readBlocked(blocked);
  return processes.map((process) => {
    if (process.state !== 'D') return process;
    const command = commands.get(process.pid);
    return { ...process, argv: command === undefined ? [process.comm] : splitCommand(command) };
  });
}

/** Working directory of a process, `""` when it may not be known; a removed one loses its mark. */
export function cwdOf(procRoot: string, pid: number): string {
  try {
    return readlinkSync(`${procRoot}/${pid}/cwd`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}

/** Resident memory, MiB with one decimal; 0 when it cannot be read. */
export function residentMb(procRoot: string, pid: number): number {
  const status = readPseudoFile(`${procRoot}/${pid}/status`, STATUS_BYTES) ?? '';
  const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return Math.round((kib / 1024) * 10) / 10;
}

/** The named variables of a process; null when its environment may not be read. Other values are never kept. */
export function variablesOf(
  procRoot: string,
  pid: number,
  names: readonly string[],
): ReadonlyMap<string, string> | null {
  const environment = readPseudoFile(`${procRoot}/${pid}/environ`, ENVIRONMENT_BYTES);
  if (environment === undefined) return null;
  const found = new Map<string, string>();
  for (const pair of environment.split('\0')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals));
    if (names.includes(name)) found.set(name, pair.slice(equals + 1));
  }
  return found;
}

/** Arguments of a command line; trailing empty ones are what is left of a title that was written over it. */
export function splitCommand(command: string): string[] {
  const argv = command.split('\0');
  while (argv.length > 0 && argv.at(-1) === '') argv.pop();
  return argv;
}

function pidsIn(procRoot: string): number[] | null {
  try {
    const names = readdirSync(procRoot).filter((name) => /^\d{1,10}$/.test(name));
    return names.length === 0 ? null : names.map(Number);
  } catch {
    return null;
  }
}

function statOf(directory: string): ProcStat | undefined {
  const line = readPseudoLine(`${directory}/stat`);
  return line === undefined ? undefined : parseProcStat(line);
}
