import { readPseudoLine } from './tools/read-pseudo-file.js';

/** A process, as far as it can be told from here; null = cannot be known. */
export interface Liveness {
  readonly alive: boolean | null;
  /** Start of the living process, unix s; null when it is not alive or has no readable start time. */
  readonly startedUnix: number | null;
}

/** Clock ticks per second of `/proc/<pid>/stat`: fixed by the kernel's interface. */
const TICKS_PER_S = 100;
/** Largest pid of a Linux kernel. */
const MAX_PID = 4_194_304;
/** How much later than its record a process may have started and still be the recorded one, s. */
const REUSE_TOLERANCE_S = 2;

const UNKNOWN: Liveness = { alive: null, startedUnix: null };
const DEAD: Liveness = { alive: false, startedUnix: null };

/**
 * Whether the recorded process lives (spec 02 §10.6). Only "no such process", a zombie, or a process that started after the
 * record was written is dead; permission denied is alive; pids that name no single process are unknown.
 *
 * @param recordedUnix when the record was written, unix s; null skips the test for a reused pid
 */
export function livenessOf(pid: number | null, recordedUnix: number | null, procRoot: string): Liveness {
  if (pid === null || !Number.isInteger(pid) || pid <= 0 || pid > MAX_PID) return UNKNOWN;
  const stat = readProcStat(procRoot, pid);
  if (stat === undefined) {
    const signalled = signalZero(pid);
    return signalled === false ? DEAD : { alive: signalled, startedUnix: null };
  }
  if (stat.state === 'Z' || stat.state === 'X') return DEAD;
  const startedUnix = startUnix(procRoot, stat.startTicks);
  const isReused =
    startedUnix !== null && recordedUnix !== null && startedUnix > recordedUnix + REUSE_TOLERANCE_S;
  return isReused ? DEAD : { alive: true, startedUnix };
}

export interface ProcStat {
  /** Title of at most 15 characters. */
  readonly comm: string;
  readonly state: string;
  readonly ppid: number;
  /** Clock ticks after boot. */
  readonly startTicks: number;
  readonly rssPages: number;
  /** True for threads of the kernel, which have no command line. */
  readonly isKernelThread: boolean;
}

const PF_KTHREAD = 0x200000;

/** `/proc/<pid>/stat`, or undefined when the process is gone or hidden. */
export function readProcStat(procRoot: string, pid: number): ProcStat | undefined {
  const line = readPseudoLine(`${procRoot}/${pid}/stat`);
  return line === undefined ? undefined : parseProcStat(line);
}

/** Fields of proc(5) `stat`; the title may contain blanks and parentheses, so the last one ends it. */
export function parseProcStat(line: string): ProcStat | undefined {
  const open = line.indexOf('(');
  const close = line.lastIndexOf(')');
  if (open === -1 || close < open) return undefined;
  const fields = line.slice(close + 2).split(' ');
  const state = fields[0] ?? '';
  const ppid = Number(fields[1]);
  const startTicks = Number(fields[19]);
  if (state === '' || !Number.isInteger(ppid) || !Number.isFinite(startTicks)) return undefined;
  const isKernelThread = (Number(fields[6]) & PF_KTHREAD) !== 0;
  return {
    comm: line.slice(open + 1, close),
    state,
    ppid,
    startTicks,
    rssPages: Number(fields[21]) || 0,
    isKernelThread,
  };
}

const bootTimes = new Map<string, number | null>();

/** Unix time of a start, in clock ticks after boot; null when the time of boot cannot be told. */
export function startUnix(procRoot: string, startTicks: number): number | null {
  let boot = bootTimes.get(procRoot);
  if (boot === undefined) {
    boot = bootUnix(procRoot);
    bootTimes.set(procRoot, boot);
  }
  return boot === null ? null : Math.round((boot + startTicks / TICKS_PER_S) * 100) / 100;
}

function bootUnix(procRoot: string): number | null {
  const uptime = Number.parseFloat(readPseudoLine(`${procRoot}/uptime`) ?? '');
  return Number.isFinite(uptime) ? Date.now() / 1000 - uptime : null;
}

/** True: there; false: no such process; null: cannot be told. */
function signalZero(pid: number): boolean | null {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ESRCH') return false;
    return code === 'EPERM' ? true : null;
  }
}
