import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessFact } from '../facts.js';
import { identify } from './identity.js';
import { type Ownership, ownershipByItself, SESSION_VARIABLES, type SessionAnchor } from './ownership.js';
import type { PatternMatch, ProcessPatterns } from './patterns.js';
import { cwdOf, type RawProcess, residentMb, variablesOf } from './proc-table.js';
import { portOf, type ServerOptions, serverOptions } from './server-options.js';

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
const NOT_WATCHED: PatternMatch = { isServer: false, matched: false };

/** The processes of one look, with what can be found out about them (spec 02 §10.4). */
export class ProcessTableView {
  readonly processes: readonly JudgedProcess[];
  readonly #byPid: ReadonlyMap<number, JudgedProcess>;

  constructor(raw: readonly RawProcess[], question: JudgeQuestion) {
    this.processes = raw.map(
      (process) => new JudgedProcess(process, question, (pid) => this.#byPid.get(pid)),
    );
    this.#byPid = new Map(this.processes.map((process) => [process.pid, process]));
  }

  get(pid: number): JudgedProcess | undefined {
    return this.#byPid.get(pid);
  }
}

/** One process. What costs a look into `/proc` is found out when it is asked for: of most processes nothing is. */
export class JudgedProcess implements ProcessFact {
  readonly pid: number;
  readonly ppid: number;
  readonly state: string;
  readonly startUnix: number | null;
  readonly argv: readonly string[];
  readonly comm: string;
  readonly isServer: boolean;
  readonly matched: boolean;
  readonly #raw: RawProcess;
  readonly #question: JudgeQuestion;
  readonly #find: (pid: number) => JudgedProcess | undefined;
  #byItself: Ownership | undefined;
  #ownership: Ownership | undefined;
  #options: ServerOptions | undefined;

  constructor(raw: RawProcess, question: JudgeQuestion, find: (pid: number) => JudgedProcess | undefined) {
    this.pid = raw.pid;
    this.ppid = raw.ppid;
    this.state = raw.state;
    this.startUnix = raw.startUnix;
    this.argv = raw.argv;
    this.comm = raw.comm;
    this.#raw = raw;
    this.#question = question;
    this.#find = find;
    const { isServer, matched } = this.#match();
    this.isServer = isServer;
    this.matched = matched;
  }

  get uid(): number {
    if (this.#raw.uid !== null) return this.#raw.uid;
    return statSync(`${this.#question.procRoot}/${this.pid}`, { throwIfNoEntry: false })?.uid ?? -1;
  }

  /** MiB. */
  get residentMb(): number {
    return this.#raw.rssMb ?? residentMb(this.#question.procRoot, this.pid);
  }

  get cwd(): string {
    return this.state === 'Z' ? '' : cwdOf(this.#question.procRoot, this.pid);
  }

  get ownership(): Ownership {
    this.#ownership ??= this.#decide();
    return this.#ownership;
  }

  get sessionOwned(): boolean | null {
    return this.ownership.owned;
  }

  get otherSession(): string | null {
    return this.ownership.otherSession;
  }

  get port(): number | null {
    return this.#listening().port;
  }

  get host(): string | null {
    return this.#listening().host;
  }

  /** A pid file of the session names it, which decides where nothing else has. */
  claim(): void {
    if (this.ownership.owned === null) this.#ownership = { owned: true, by: 'pid_file', otherSession: null };
  }

  #match(): PatternMatch {
    const { excluded, patterns, sessionDir } = this.#question;
    if (excluded.has(this.pid) || this.state === 'Z' || !patterns.mayMatch(this.argv)) return NOT_WATCHED;
    return patterns.match(identify(this.argv, sessionDir));
  }

  #decide(): Ownership {
    const isJudged = this.matched || COMPILER.test(basename(this.argv[0] ?? ''));
    if (this.#question.anchor === null)
      return isJudged ? { owned: true, by: '', otherSession: null } : NOBODY;
    const own = isJudged ? this.#saysItself() : NOBODY;
    return own.owned === null ? this.#byAncestry() : own;
  }

  #saysItself(): Ownership {
    const { anchor, procRoot } = this.#question;
    if (anchor === null || this.state === 'Z') return NOBODY;
    this.#byItself ??= ownershipByItself(anchor, this.cwd, this.argv, () =>
      // The kernel makes a reader of its environment wait as long as it waits itself.
      this.state === 'D' ? null : variablesOf(procRoot, this.pid, SESSION_VARIABLES),
    );
    return this.#byItself;
  }

  #byAncestry(): Ownership {
    let child: JudgedProcess = this;
    for (let step = 0; step < MAX_ANCESTORS; step += 1) {
      const parent = this.#find(child.ppid);
      if (parent === undefined || parent.pid <= 1 || startedBefore(child, parent)) break;
      if (parent.pid === this.#question.coordinatorPid || parent.#saysItself().owned === true) {
        return { owned: true, by: 'ancestor', otherSession: null };
      }
      child = parent;
    }
    return NOBODY;
  }

  #listening(): ServerOptions {
    this.#options ??= this.isServer ? this.#readOptions() : { port: null, host: null };
    return this.#options;
  }

  #readOptions(): ServerOptions {
    const { port, host } = serverOptions(this.argv);
    if (port !== null || this.state === 'D') return { port, host };
    return { port: portOf(variablesOf(this.#question.procRoot, this.pid, ['PORT'])?.get('PORT')), host };
  }
}

/** A parent that started after its child got the number later. */
function startedBefore(child: JudgedProcess, parent: JudgedProcess): boolean {
  return child.startUnix !== null && parent.startUnix !== null && child.startUnix < parent.startUnix;
}
