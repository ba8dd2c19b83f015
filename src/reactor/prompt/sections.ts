import { trimPython } from '../../foreign/python-space.js';

/** Sections of the prompt (spec 01 §2.2). */
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
  /**
   * The state block as the Coordinator rendered it, when it is complete: its fixed order tells the Coordinator's own lines
   * from the foreign text among them. `bodies` then holds only what stands outside of it.
   */
  readonly renderedState: readonly string[];
}

const SHARED = '=== Shared session state ===';
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
 * Distributes the lines of a prompt over its sections (spec 01 §2.2). Where the state block is complete as rendered, no line
 * inside it can open a section: log tails are printed there as they are (spec 01 §12 G1). Outside of it nothing is foreign,
 * because inbox rows never contain a raw line end.
 */
export function splitSections(lines: readonly string[]): Sections {
  const start = lines.findIndex((line) => headerOf(line) === 'shared_state');
  const end = start < 0 ? -1 : renderedEnd(lines, start);
  const bodies = new Map<SectionName, string[]>();
  const preamble: string[] = [];
  let current = preamble;
  const open = (section: SectionName): void => {
    current = bodies.get(section) ?? [];
    bodies.set(section, current);
  };
  const take = (from: number, to: number): void => {
    for (let i = from; i < to; i += 1) {
      const line = lines[i] ?? '';
      const section = headerOf(line);
      if (section === undefined) current.push(line);
      else open(section);
    }
  };
  if (end < 0) {
    take(0, lines.length);
    return { bodies, preamble, renderedState: [] };
  }
  take(0, start);
  open('shared_state');
  take(end + 1, lines.length);
  return { bodies, preamble, renderedState: lines.slice(start + 1, end + 1) };
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
