import type { ProcessIdentity } from './identity.js';

/** Tells what a pattern list makes of a process. */
export interface PatternMatch {
  readonly isServer: boolean;
  /** A server, or something else that the session runs. */
  readonly matched: boolean;
}

/** Servers that the configured texts miss: other front ends and the titles that engines give their children (spec 02 §10.4). */
const SERVER_TITLE = /^(?:sglang|vllm)::/i;
const SERVER_PROGRAMS = new Set(['sglang serve', 'vllm serve', 'atom serve']);
const SERVER_MODULE = /(?:^|\.)(?:launch_server|atom\.entrypoints(?:\.\w+)*)$/;

/** What a process is stands among these; options of an interpreter may come first. */
const HINT_ARGUMENTS = 16;

/** Compiled once per look. */
export class ProcessPatterns {
  readonly #servers: readonly ((identity: ProcessIdentity) => boolean)[];
  readonly #others: readonly ((identity: ProcessIdentity) => boolean)[];
  readonly #hint: RegExp;

  constructor(servers: readonly string[], others: readonly string[]) {
    this.#hint = hintOf([...servers, ...others].filter(isUsable));
    this.#servers = servers.filter(isUsable).map(compile);
    this.#others = others.filter(isUsable).map(compile);
  }

  /** False when no pattern can match, told by a glance at the first arguments: most processes of a host are of no interest. */
  mayMatch(argv: readonly string[]): boolean {
    return argv.slice(0, HINT_ARGUMENTS).some((argument) => this.#hint.test(argument));
  }

  match(identity: ProcessIdentity): PatternMatch {
    const isServer = isKnownServer(identity) || this.#servers.some((test) => test(identity));
    return { isServer, matched: isServer || this.#others.some((test) => test(identity)) };
  }
}

function isUsable(pattern: string): boolean {
  return pattern.trim() !== '';
}

function isKnownServer({ title, program, module, subCommand }: ProcessIdentity): boolean {
  return (
    SERVER_TITLE.test(title) ||
    SERVER_MODULE.test(module) ||
    SERVER_PROGRAMS.has(`${program.toLowerCase()} ${subCommand}`) ||
    SERVER_PROGRAMS.has(`${module.toLowerCase()} ${subCommand}`)
  );
}

/**
 * A configured text as a test: one with a blank names a program and its sub-command, one with a dot a module (exact, by
 * component), any other a product, without regard to letter case.
 */
function compile(pattern: string): (identity: ProcessIdentity) => boolean {
  if (pattern.includes(' ')) {
    const [program = '', subCommand = ''] = pattern.trim().toLowerCase().split(/\s+/);
    return (identity) =>
      identity.subCommand.toLowerCase() === subCommand &&
      [identity.program.toLowerCase(), identity.module.toLowerCase()].includes(program);
  }
  if (pattern.includes('.')) {
    const bounded = new RegExp(`(?:^|[^\\w])${escaped(pattern)}(?:$|[^\\w])`);
    return ({ module, program, executable, title }) =>
      [module, program, executable, title].some((text) => bounded.test(text));
  }
  const product = pattern.toLowerCase();
  return ({ module, program, executable, title }) =>
    [module, program, executable, title].some((text) => text.toLowerCase().includes(product));
}

/** One expression for the last part of every pattern; a module may stand there as a path, so its parts are told apart. */
function hintOf(patterns: readonly string[]): RegExp {
  const parts = patterns.flatMap((pattern) =>
    pattern
      .trim()
      .split(/[\s.]+/)
      .filter((part) => part !== '')
      .slice(-1),
  );
  return new RegExp(['::', 'launch_server', 'serve', 'entrypoints', ...parts.map(escaped)].join('|'), 'i');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
