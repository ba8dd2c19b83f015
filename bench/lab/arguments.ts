import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';

export const USAGE = `usage: npm run lab -- [options]

  --seed N           other sessions of the same kinds (default: another one
                     every day)
  --hours N          healthy session-hours in all (default 2000)
  --repeat N         sessions per faulty kind (default 20)
  --session-hours N  no session lasts longer (default: as its kind says)
  --scenario TEXT    only scenarios whose name contains the text
  --live             real files, servers and processes, and one process of
                     dist/cli.js per tick; once each, about a second per tick;
                     only the scenarios that --list marks
  --json FILE        figures, and every alert of every run
  --html FILE        the report with a picture per scenario
  --export FILE      the first run of each chosen scenario as a recording for
                     \`robustness-agent replay\` (not with --live)
  --list             names and stories, nothing is played
`;

export interface LabArguments {
  readonly seed: number;
  /** Healthy hours in all; sessions per faulty kind. */
  readonly hours: number;
  readonly repeat: number;
  readonly sessionHours: number | undefined;
  readonly isLive: boolean;
  /** Path of the built CLI. */
  readonly cli: string;
  readonly chosen: readonly Scenario[];
  readonly json: string | undefined;
  readonly html: string | undefined;
  readonly exportTo: string | undefined;
}

export type ArgumentReading =
  | { readonly kind: 'play'; readonly options: LabArguments }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string };

/** What the lab is asked to do; a refusal says what was expected. */
export function readArguments(argv: readonly string[]): ArgumentReading {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(argv);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return { kind: 'print', text: USAGE };
  if (values.list) return { kind: 'print', text: SCENARIOS.map(listed).join('') };
  const numbers = {
    seed: Number(values.seed ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')),
    hours: Number(values.hours),
    repeat: Number(values.repeat),
    sessionHours: Number(values['session-hours'] ?? 1),
  };
  const bad = Object.entries(numbers).find(([, value]) => !Number.isFinite(value) || value <= 0);
  if (bad !== undefined) return refused(`--${bad[0]} wants a number above 0`);

  const named = SCENARIOS.filter(({ name }) => name.includes(values.scenario));
  const chosen = values.live ? named.filter(({ isLive }) => isLive === true) : named;
  const cli = resolve('dist/cli.js');
  if (named.length === 0) return refused(`no scenario has ${values.scenario} in its name; --list names them`);
  if (chosen.length === 0)
    return refused(`nothing of ${values.scenario} can be played live; --list marks what can`);
  if (values.live && values.export !== undefined) return refused('--export writes fast runs only');
  if (values.live && !existsSync(cli)) return refused(`${cli} is missing; run \`npm run build\` first`);
  return {
    kind: 'play',
    options: {
      ...numbers,
      sessionHours: values['session-hours'] === undefined ? undefined : numbers.sessionHours,
      isLive: values.live,
      cli,
      chosen,
      json: values.json,
      html: values.html,
      exportTo: values.export,
    },
  };
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string' },
      hours: { type: 'string', default: '2000' },
      repeat: { type: 'string', default: '20' },
      'session-hours': { type: 'string' },
      scenario: { type: 'string', default: '' },
      live: { type: 'boolean', default: false },
      json: { type: 'string' },
      html: { type: 'string' },
      export: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

function listed({ kind, name, story, isLive }: Scenario): string {
  return `${kind.padEnd(7)} ${isLive === true ? 'live' : '    '} ${name.padEnd(38)} ${story}\n`;
}

function refused(message: string): ArgumentReading {
  return { kind: 'refused', message };
}
