import type { ProcessFact } from '../facts.js';
import { identify } from './identity.js';
import { type Ownership, ownershipByItself, SESSION_VARIABLES, type SessionAnchor } from './ownership.js';
import type { ProcessPatterns } from './patterns.js';
import { cwdOf, type RawProcess, variablesOf } from './proc-table.js';
import { portOf, serverOptions } from './server-options.js';

/** A process with what was found out about it. */
export interface JudgedProcess extends ProcessFact {
  readonly raw: RawProcess;
  readonly ownedBy: Ownership['by'];
}

export interface JudgeQuestion {
  readonly procRoot: string;
  readonly patterns: ProcessPatterns;
  readonly sessionDir: string | null;
  /** Null without a session: everything is ours then, as there is nobody else to belong to (spec 02 §5.5). */
  readonly anchor: SessionAnchor | null;
  readonly coordinatorPid: number | null;
  /** Ourselves and our ancestors, who watch and are not watched. */
  readonly excluded: ReadonlySet<number>;
}

const MAX_ANCESTORS = 32;
/** Compilers are no part of the snapshot, but others must know whose they are (spec 02 §10.7, aiter). */
const COMPILER = /^(?:hipcc(?:\.bin)?|ninja|cc1plus|clang(?:\+\+|-cpp|-\d+)?)$/;
const NOBODY: Ownership = { owned: null, by: '', otherSession: null };

/** Finds out what each process is and whose (spec 02 §10.4). */
export function judge(processes: readonly RawProcess[], question: JudgeQuestion): JudgedProcess[] {
  const { procRoot, patterns, sessionDir, anchor, excluded } = question;
  const byPid = new Map(processes.map((raw) => [raw.pid, raw]));
  const memo = new Map<number, Ownership>();
  const matches = new Map(
    processes.map((raw) => {
      const identity = identify(raw.argv, sessionDir);
      const isWatched = !excluded.has(raw.pid) && raw.state !== 'Z';
      const match = isWatched ? patterns.match(identity) : { isServer: false, matched: false };
      return [raw.pid, { ...match, isCompiler: COMPILER.test(identity.executable) }];
    }),
  );

  const byItself = (raw: RawProcess): Ownership => {
    const known = memo.get(raw.pid);
    if (known !== undefined) return known;
    const found =
      anchor === null || raw.state === 'Z'
        ? NOBODY
        : ownershipByItself(anchor, cwdOf(procRoot, raw.pid), raw.argv, () =>
            raw.state === 'D' ? null : variablesOf(procRoot, raw.pid, SESSION_VARIABLES),
          );
    memo.set(raw.pid, found);
    return found;
  };

  const byAncestry = (raw: RawProcess): Ownership => {
    let child = raw;
    for (let step = 0; step < MAX_ANCESTORS; step += 1) {
      const parent = byPid.get(child.ppid);
      if (parent === undefined || parent.pid <= 1 || startedBefore(child, parent)) break;
      // The Coordinator itself may be one of those who watch; that it is ours needs no further proof.
      if (parent.pid === question.coordinatorPid || byItself(parent).owned === true) {
        return { owned: true, by: 'ancestor', otherSession: null };
      }
      child = parent;
    }
    return NOBODY;
  };

  return processes.map((raw) => {
    const { isServer, matched, isCompiler } = matches.get(raw.pid) ?? {
      isServer: false,
      matched: false,
      isCompiler: false,
    };
    const isJudged = matched || isCompiler;
    const own = isJudged ? byItself(raw) : NOBODY;
    const needsAncestors = anchor !== null && own.owned === null;
    const ownership =
      anchor === null && isJudged ? { ...NOBODY, owned: true } : needsAncestors ? byAncestry(raw) : own;
    return {
      raw,
      pid: raw.pid,
      ppid: raw.ppid,
      uid: raw.uid,
      state: raw.state,
      startUnix: raw.startUnix,
      argv: raw.argv,
      cwd: isJudged ? cwdOf(procRoot, raw.pid) : '',
      isServer,
      matched,
      sessionOwned: ownership.owned,
      ownedBy: ownership.by,
      otherSession: ownership.otherSession,
      ...(isServer ? listening(raw, procRoot) : { port: null, host: null }),
    };
  });
}

/** A parent that started after its child got the number later. */
function startedBefore(child: RawProcess, parent: RawProcess): boolean {
  return child.startUnix !== null && parent.startUnix !== null && child.startUnix < parent.startUnix;
}

function listening(raw: RawProcess, procRoot: string): { port: number | null; host: string | null } {
  const { port, host } = serverOptions(raw.argv);
  if (port !== null || raw.state === 'D') return { port, host };
  return { port: portOf(variablesOf(procRoot, raw.pid, ['PORT'])?.get('PORT')), host };
}
