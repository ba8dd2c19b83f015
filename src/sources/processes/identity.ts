import { basename, isAbsolute } from 'node:path';
import { isInside } from '../tools/paths.js';

/** What a process is, taken from its argument vector alone: never from arguments that merely mention something. */
export interface ProcessIdentity {
  /** Base name of the executable. */
  readonly executable: string;
  /** Base name of the program that runs: the script of an interpreter, else the executable. */
  readonly program: string;
  /** First argument of the program that is no option: `serve` of `vllm serve`. */
  readonly subCommand: string;
  /** Module of `python -m`, or the script's path in dotted form; `""` when neither. */
  readonly module: string;
  /** The process has given itself a title, such as `VLLM::EngineCore_DP0`; its first token, else `""`. */
  readonly title: string;
}

const INTERPRETER = /^(?:python|pypy|ruby|perl|node|bash|dash|sh|zsh)(?:\d+(?:\.\d+)*)?[a-z]?$/;
/** Options of Python that take the next argument as their value. */
const WITH_VALUE = new Set(['-X', '-W', '--check-hash-based-pycs']);
/** Path components of a script that say what it is; those before are where somebody put it. */
const SCRIPT_COMPONENTS = 5;

/**
 * Recognises a program from its argument vector (spec 02 §10.4).
 *
 * @param sessionDir components of a script's path that belong to the session say nothing about the script
 */
export function identify(argv: readonly string[], sessionDir: string | null): ProcessIdentity {
  const [first = ''] = argv;
  const title = titleOf(argv);
  if (title !== '') return { executable: '', program: '', subCommand: '', module: '', title };
  const executable = basename(first);
  if (!INTERPRETER.test(executable)) {
    const subCommand = argv.slice(1).find((argument) => !argument.startsWith('-')) ?? '';
    return { executable, program: executable, subCommand, module: '', title: '' };
  }
  return { executable, ...interpreted(argv.slice(1), sessionDir), title: '' };
}

function interpreted(
  args: readonly string[],
  sessionDir: string | null,
): Pick<ProcessIdentity, 'program' | 'subCommand' | 'module'> {
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i] ?? '';
    const rest = args.slice(i + 1);
    if (argument === '-m')
      return { program: '', module: rest[0] ?? '', subCommand: firstWord(rest.slice(1)) };
    if (argument.startsWith('-m') && !argument.startsWith('--')) {
      return { program: '', module: argument.slice(2), subCommand: firstWord(rest) };
    }
    // Code on the command line is an argument like any other.
    if (argument === '-c' || argument === '-e') break;
    if (WITH_VALUE.has(argument)) i += 1;
    else if (!argument.startsWith('-')) {
      return {
        program: basename(argument),
        module: dotted(argument, sessionDir),
        subCommand: firstWord(rest),
      };
    }
  }
  return { program: '', module: '', subCommand: '' };
}

function firstWord(args: readonly string[]): string {
  return args.find((argument) => !argument.startsWith('-')) ?? '';
}

/** A title replaces the argument vector, so it stands alone; `::` or a colon after the name marks what no file is called. */
function titleOf(argv: readonly string[]): string {
  const [first = '', ...others] = argv;
  if (others.some((argument) => argument !== ''))
    return /^[\w.-]+::/.test(first) ? (first.split(/\s/, 1)[0] ?? '') : '';
  const token = first.trim().split(/\s/, 1)[0] ?? '';
  const isRewritten = /^[\w.-]+:/.test(token) || (/\s/.test(first.trim()) && !isAbsolute(first));
  return isRewritten ? token : '';
}

/** `/x/python/sglang/launch_server.py` as `x.python.sglang.launch_server`, without what the session's path adds. */
function dotted(script: string, sessionDir: string | null): string {
  const isOurs = sessionDir !== null && isAbsolute(script) && isInside(script, sessionDir);
  const path = isOurs ? script.slice(sessionDir.length) : script;
  const parts = path.replace(/\.(?:py|pyc|sh|bash)$/, '').split('/');
  return parts
    .filter((part) => part !== '' && part !== '.')
    .slice(-SCRIPT_COMPONENTS)
    .join('.');
}
