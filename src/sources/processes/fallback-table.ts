import { findExecutable } from '../tools/find-executable.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';
import type { RawProcess } from './proc-table.js';

const PS_TIMEOUT_MS = 2500;

export type FallbackTable =
  | { readonly ok: true; readonly processes: readonly RawProcess[] }
  | {
      readonly ok: false;
      readonly reason: 'not_on_path' | 'exit_nonzero' | 'bad_output' | 'deadline';
      readonly detail: string;
    };

/** The processes as `ps` lists them, where there is no `/proc` to read; elsewhere than on Linux as systeminformation does. */
export async function fallbackTable(
  env: Readonly<Record<string, string | undefined>>,
  nowUnix: number,
  signal: Stop,
): Promise<FallbackTable> {
  if (process.platform !== 'linux') return portableTable();
  const executable = findExecutable('ps', env['PATH']);
  if (executable === null) return { ok: false, reason: 'not_on_path', detail: 'neither /proc nor ps' };
  const args = ['-ww', '-eo', 'pid=,ppid=,uid=,stat=,etimes=,rss=,args='];
  const outcome = await runTool({ executable, args, env, timeoutMs: PS_TIMEOUT_MS, signal });
  if (outcome.kind === 'not_started') return { ok: false, reason: 'exit_nonzero', detail: outcome.message };
  if (outcome.kind === 'timeout') return { ok: false, reason: 'deadline', detail: 'ps did not answer' };
  if (outcome.kind === 'too_large') return { ok: false, reason: 'bad_output', detail: 'ps printed too much' };
  if (outcome.code !== 0)
    return { ok: false, reason: 'exit_nonzero', detail: `ps: ${outcome.stderr.trim()}` };
  const processes = parsePs(outcome.stdout, nowUnix);
  if (processes.length === 0) return { ok: false, reason: 'bad_output', detail: 'ps listed nothing' };
  return { ok: true, processes };
}

/** Lines of `ps -eo pid=,ppid=,uid=,stat=,etimes=,rss=,args=`; others are skipped. */
export function parsePs(output: string, nowUnix: number): RawProcess[] {
  return output.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (found === null) return [];
    const [, pid, ppid, uid, stat = '', elapsed, rss, args = ''] = found;
    if (args.startsWith('[') && Number(rss) === 0) return [];
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        uid: Number(uid),
        state: stat.charAt(0),
        startUnix: nowUnix - Number(elapsed),
        comm: '',
        // The boundaries of arguments are lost; blanks are the best guess.
        argv: args.trim().split(/\s+/),
        rssMb: Math.round((Number(rss) / 1024) * 10) / 10,
      },
    ];
  });
}

async function portableTable(): Promise<FallbackTable> {
  const { processes } = await import('systeminformation');
  const { list } = await processes();
  if (list.length === 0) return { ok: false, reason: 'bad_output', detail: 'no process was listed' };
  return {
    ok: true,
    processes: list.map((entry) => {
      const started = Date.parse(entry.started.replace(' ', 'T'));
      return {
        pid: entry.pid,
        ppid: entry.parentPid,
        uid: -1,
        state: entry.state === 'zombie' ? 'Z' : 'S',
        startUnix: Number.isFinite(started) ? started / 1000 : null,
        comm: entry.name,
        argv: [entry.path === '' ? entry.command : entry.path, ...entry.params.split(/\s+/)].filter(
          (part) => part !== '',
        ),
        rssMb: Math.round((entry.memRss / 1024) * 10) / 10,
      };
    }),
  };
}
