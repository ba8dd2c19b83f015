import { trimPython } from '../../foreign/python-space.js';

/** Sections of the prompt in the order in which the Coordinator renders them (spec 01 §2.2, §2.10). */
export type SectionName =
  | 'phase'
  | 'time_budget'
  | 'shared_state'
  | 'phase_budget'
  | 'conversation_progress'
  | 'inbox'
  | 'kb';

export interface Sections {
  readonly bodies: ReadonlyMap<SectionName, readonly string[]>;
  /** Lines before the first header. */
  readonly preamble: readonly string[];
  /** True when the state block is complete as rendered, so that its fixed order could be used against forgery. */
  readonly rendered: boolean;
}

const SHARED = '=== Shared session state ===';
const RENDERED_RANK: Readonly<Record<SectionName, number>> = {
  phase: 0,
  time_budget: 1,
  shared_state: 2,
  phase_budget: 3,
  conversation_progress: 4,
  inbox: 5,
  kb: 6,
};

/** The section that a line opens, if it is a header. */
function headerOf(line: string): SectionName | undefined {
  if (!line.includes('===')) return undefined;
  const trimmed = trimPython(line);
  if (trimmed === SHARED) return 'shared_state';
  if (trimmed.startsWith('=== Inbox for ') && trimmed.endsWith('===')) return 'inbox';
  if (trimmed === '=== Time budget ===') return 'time_budget';
  if (trimmed.startsWith('=== Knowledge base hints')) return 'kb';
  if (trimmed === '=== Phase ===') return 'phase';
  if (trimmed === '=== Phase budget telemetry ===') return 'phase_budget';
  if (trimmed === '=== Conversation progress ===') return 'conversation_progress';
  return undefined;
}

/**
 * Distributes the lines of a prompt over its sections (spec 01 §2.2). Where the state block is complete as rendered, log
 * text inside it cannot open a section: the fixed order of the blocks decides (spec 01 §12 G1).
 *
 * @param role the agent's name in the inbox header
 */
export function splitSections(lines: readonly string[], role: string): Sections {
  const stateStart = lines.findIndex((line) => headerOf(line) === 'shared_state');
  const stateEnd = stateStart < 0 ? -1 : renderedEnd(lines, stateStart);
  return stateEnd < 0 ? splitPlain(lines) : splitRendered(lines, stateStart, stateEnd, role);
}

/** Index of the last line of a complete state block, or -1 when the block is not as rendered. */
function renderedEnd(lines: readonly string[], start: number): number {
  if (!(lines[start + 1] ?? '').startsWith('session_id=')) return -1;
  for (let i = lines.length - 1; i > start; i -= 1) {
    const line = lines[i] ?? '';
    if (line.startsWith('closing_phase=') && line.includes('closing_report_task_id=')) return i;
  }
  return -1;
}

function splitPlain(lines: readonly string[]): Sections {
  const collector = new BodyCollector();
  for (const line of lines) {
    const section = headerOf(line);
    if (section === undefined) collector.add(line);
    else collector.open(section);
  }
  return collector.result(false);
}

function splitRendered(
  lines: readonly string[],
  stateStart: number,
  stateEnd: number,
  role: string,
): Sections {
  const collector = new BodyCollector();
  const inboxStart = lastInboxHeader(lines, stateEnd, role);
  let rank = -1;
  const consume = (from: number, to: number) => {
    for (let i = from; i < to; i += 1) {
      const line = lines[i] ?? '';
      const section = headerOf(line);
      const isNext = section !== undefined && section !== 'inbox' && RENDERED_RANK[section] > rank;
      if (!isNext) {
        collector.add(line);
        continue;
      }
      collector.open(section);
      if (section !== 'kb') rank = RENDERED_RANK[section];
    }
  };
  consume(0, stateStart);
  collector.open('shared_state');
  rank = RENDERED_RANK.shared_state;
  for (let i = stateStart + 1; i <= stateEnd; i += 1) collector.add(lines[i] ?? '');
  consume(stateEnd + 1, inboxStart < 0 ? lines.length : inboxStart);
  if (inboxStart >= 0) {
    collector.open('inbox');
    for (let i = inboxStart + 1; i < lines.length; i += 1) collector.add(lines[i] ?? '');
  }
  return collector.result(true);
}

function lastInboxHeader(lines: readonly string[], after: number, role: string): number {
  for (let i = lines.length - 1; i > after; i -= 1) {
    const line = lines[i] ?? '';
    if (headerOf(line) !== 'inbox') continue;
    if (trimPython(line).split(' ')[3] === role) return i;
  }
  return -1;
}

class BodyCollector {
  readonly #bodies = new Map<SectionName, string[]>();
  readonly #preamble: string[] = [];
  #current: string[] = this.#preamble;

  open(section: SectionName): void {
    const known = this.#bodies.get(section) ?? [];
    this.#bodies.set(section, known);
    this.#current = known;
  }

  add(line: string): void {
    this.#current.push(line);
  }

  result(rendered: boolean): Sections {
    return { bodies: this.#bodies, preamble: this.#preamble, rendered };
  }
}
