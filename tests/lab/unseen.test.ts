import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { playFast, prepare, type RecordedLabTick } from '../../bench/lab/fast.js';
import { seedOf } from '../../bench/lab/random.js';
import type { LabTick } from '../../bench/lab/result.js';
import type { Scenario } from '../../bench/lab/scenario.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { RULES } from '../../src/signals/registry.js';
import { isKnownMiss } from './known-misses.js';

/** The sessions that are looked into. */
const SEED = 8;

/** No scenario can provoke it: a rule fails on what nobody foresaw. */
const NOT_TO_BE_HAD: ReadonlySet<string> = new Set(['rule_failed']);

/** Rules, tests and documents; the last three lie beside the repository in some checkouts only. */
const CORPUS = [
  'src',
  'tests',
  'docs',
  'schemas',
  'README.md',
  'CHANGELOG.md',
  '../shared/spec',
  '../shared/conformance',
  '../shared/data',
];
const READABLE = /\.(?:ts|mts|mjs|js|json|jsonl|ndjson|md|txt|csv|py|html|log)$/;

/** Lines that are part of every trace and say nothing of a fault. */
const FRAME = /^\s|^Traceback|^GPU core dump failed$|^Fatal Python error: Aborted$|^SystemExit$/;
/** What an engine writes while it is well. */
const ORDINARY =
  /Decode batch|Avg prompt throughput|server_args=|Loading safetensors|retry \d+ succeeded|fired up/;
const FIGURE = /^-?\d[\d.]*$/;

/** Everything that is not of the lab, as one text in lower case. */
let corpus = '';

beforeAll(() => {
  corpus = CORPUS.flatMap(filesOf)
    .filter((path) => relative('tests/lab', path).startsWith('..'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    // 23_877 and 23,877 are the figure 23877.
    .replaceAll(/(?<=\d)[_,](?=\d)/g, '')
    .toLowerCase();
});

function filesOf(root: string): string[] {
  const stat = statSync(root, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [root];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && READABLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Whether a text holds the wording, or the figure as a number of its own. */
function holds(text: string, wanted: string): boolean {
  if (!FIGURE.test(wanted)) return text.includes(wanted.toLowerCase());
  const escaped = wanted.replaceAll('.', '\\.');
  return new RegExp(`(?<![\\d.])${escaped}(?!\\d|\\.\\d)`).test(text);
}

/** All texts and numbers in a value, in lower case, one a line. */
function leavesOf(value: unknown): string {
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? Object.values(value).map(leavesOf).join('\n') : '';
}

interface Played {
  readonly tick: LabTick;
  readonly given: RecordedLabTick;
}

/** The ticks of a scenario after its fault, with what the agent was given. */
function playedTicks(scenario: Scenario): Played[] {
  const given: RecordedLabTick[] = [];
  const run = playFast(scenario, seedOf(SEED, scenario.name, 0), {
    record: (tick) => given.push(structuredClone(tick)),
  });
  const begins = run.startUnix + Math.min(...run.faults.map(({ from }) => from)) * 60;
  return run.ticks.flatMap((tick, index) => {
    const its = given[index];
    return its !== undefined && tick.at >= begins ? [{ tick, given: its }] : [];
  });
}

const claims = SCENARIOS.flatMap((scenario) =>
  Object.entries(scenario.unseen ?? {}).map(([symptom, wanted]) => ({ scenario, symptom, wanted })),
);
const symptoms = RULES.flatMap((rule) => Object.keys(rule.symptoms));

describe('what no rule, test or document contains', () => {
  it('is given for every symptom by at least one scenario that is found', () => {
    const carried = new Set(
      claims.filter(({ scenario }) => !isKnownMiss(scenario.name)).map(({ symptom }) => symptom),
    );
    expect(symptoms.filter((name) => !carried.has(name) && !NOT_TO_BE_HAD.has(name))).toEqual([]);
    expect(claims.filter(({ symptom }) => !symptoms.includes(symptom))).toEqual([]);
  });

  it('stands in none of them', () => {
    expect(corpus.length).toBeGreaterThan(1_000_000);
    const known = claims.filter(({ wanted }) => holds(corpus, wanted));
    expect(known.map(({ scenario, symptom, wanted }) => `${scenario.name}: ${symptom}: ${wanted}`)).toEqual(
      [],
    );
  });

  it('is more than a round number or a single word', () => {
    const weak = claims.filter(({ wanted }) =>
      FIGURE.test(wanted) ? wanted.replaceAll(/\D/g, '').length < 3 : wanted.length < 9,
    );
    expect(weak.map(({ wanted }) => wanted)).toEqual([]);
  });

  it('a search finds what is there, in whatever form it is written', () => {
    expect(holds(corpus, 'local_server_unreachable')).toBe(true);
    expect(holds('limit 23877, of', '23877')).toBe(true);
    expect(holds('limit 238770 or 1.23877', '23877')).toBe(false);
    expect(holds('4.135 or 14.13', '4.13')).toBe(false);
  });

  // What is missed may not even get as far as the agent's snapshot.
  for (const scenario of SCENARIOS.filter(({ name, unseen }) => unseen !== undefined && !isKnownMiss(name))) {
    it(`${scenario.name} gives it to the agent while the symptom is there`, () => {
      const played = playedTicks(scenario);
      for (const [symptom, wanted] of Object.entries(scenario.unseen ?? {})) {
        const given = played.filter(({ given }) => holds(leavesOf(given), wanted));
        expect(given.length, `nothing says ${wanted}`).toBeGreaterThan(0);
        const present = given.filter(({ tick }) =>
          tick.present.some(({ key }) => key.split('\u001f')[0] === symptom),
        );
        expect(present.length, `${symptom} is not there when ${wanted} is`).toBeGreaterThan(0);
      }
    });
  }

  it('is every line that a fault of a log writes, not only the one that is named', () => {
    const ofLogs = SCENARIOS.filter(({ unseen }) => unseen?.['log_error_pattern'] !== undefined);
    const known = ofLogs.flatMap((scenario) =>
      faultLines(scenario)
        .filter((line) => line !== '' && !FRAME.test(line) && !ORDINARY.test(line) && holds(corpus, line))
        .map((line) => `${scenario.name}: ${line}`),
    );
    expect(ofLogs.length).toBeGreaterThanOrEqual(15);
    expect(known).toEqual([]);
  });
});

/** The lines that a scenario has written into logs after its fault. */
function faultLines(scenario: Scenario): string[] {
  const { lab, world } = prepare(scenario, seedOf(SEED, scenario.name, 0), {});
  const [fault] = lab.faults;
  if (fault === undefined) return [];
  while (lab.minute < fault.from + 2) {
    lab.step();
    lab.beforeTick();
  }
  const begins = lab.startUnix + fault.from * 60;
  return [...world.logs.values()].flatMap(({ lines }) =>
    lines.flatMap(({ text, at }) => (at >= begins ? [text] : [])),
  );
}
