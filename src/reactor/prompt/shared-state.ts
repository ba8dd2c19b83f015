import { listOr, text } from '../../foreign/json.js';
import { parsePythonLiteral } from '../../foreign/python-literal.js';
import { trimPython } from '../../foreign/python-space.js';
import { defaultSharedState, type SharedState } from '../context.js';
import { floatText, integerText } from './numbers.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type StateDraft = Mutable<SharedState>;
type FieldReader = (value: string, draft: StateDraft) => void;

/** Reads one `key=value` line into the draft; keys that are not here are ignored (spec 01 §2.5). */
const READERS: Readonly<Record<string, FieldReader>> = {
  baseline_tput: (value, draft) => {
    draft.baseline_tput = floatText(head(value)) ?? 0;
  },
  cumulative_gain_validated: (value, draft) => {
    draft.cumulative_gain_validated = gainPercent(head(value));
  },
  crash_count: (value, draft) => {
    draft.crash_count = integerText(head(value)) ?? 0;
  },
  current_action: (value, draft) => {
    draft.current_action = head(value) === '(idle)' ? '' : head(value);
  },
  tick: (value, draft) => {
    draft.tick = integerText(head(value)) ?? 0;
  },
  macro_cycle: (value, draft) => {
    draft.macro_cycle = integerText(head(value)) ?? 0;
  },
  stop_reason: (value, draft) => {
    draft.stop_reason = isSet(head(value)) ? head(value) : '';
  },
  optimization_stack: (value, draft) => {
    draft.optimization_stack_size = stackSize(value);
  },
  kernel_opt_attempts_count: (value, draft) => {
    draft.kernel_opt_attempts_count = integerText(head(value)) ?? 0;
  },
  has_keep_pending_integrate: (value, draft) => {
    draft.has_keep_pending_integrate = head(value).toLowerCase() === 'true';
  },
  last_explore: (value, draft) => {
    if (isSet(head(value))) draft.explore_started = true;
  },
  last_sweep: (value, draft) => {
    if (isSet(head(value))) draft.explore_started = true;
  },
  pruned_families: (value, draft) => {
    draft.pruned_families = familyList(value);
  },
};

/** Keys that the Coordinator renders after text of foreign origin: which of several occurrences is its own (spec 01 G1). */
const LATE_KEYS: Readonly<Record<string, 'last' | 'last-before-failures'>> = {
  tick: 'last',
  macro_cycle: 'last',
  stop_reason: 'last',
  has_keep_pending_integrate: 'last-before-failures',
  kernel_opt_attempts_count: 'last-before-failures',
  last_explore: 'last-before-failures',
};

/**
 * Reads the shared state (spec 01 §2.5). In a block that is complete as rendered, a key counts only where the Coordinator
 * writes it, so that log text inside the block cannot overwrite it; further lines count in their order.
 */
export function parseSharedState(rendered: readonly string[], lines: readonly string[]): SharedState {
  const draft: StateDraft = { ...defaultSharedState() };
  for (const line of ownLines(rendered)) readLine(line, draft);
  for (const line of lines) readLine(line, draft);
  return draft;
}

function readLine(line: string, draft: StateDraft): void {
  const trimmed = trimPython(line);
  if (trimmed.startsWith('model=')) {
    readModel(trimmed.slice('model='.length), draft);
    return;
  }
  const equals = trimmed.indexOf('=');
  if (equals < 0) return;
  const key = trimPython(trimmed.slice(0, equals));
  if (Object.hasOwn(READERS, key)) READERS[key]?.(trimPython(trimmed.slice(equals + 1)), draft);
}

function readModel(value: string, draft: StateDraft): void {
  const split = value.indexOf('  class=');
  const name = trimPython(split < 0 ? value : value.slice(0, split));
  const modelClass = split < 0 ? '' : trimPython(value.slice(split + '  class='.length));
  draft.model_name = name === '(unset)' ? '' : name;
  draft.model_class = modelClass === '(unset)' ? '' : modelClass;
}

function keyOf(line: string): string {
  const equals = line.indexOf('=');
  return equals < 0 ? '' : trimPython(line.slice(0, equals));
}

/** The lines that the Coordinator itself rendered for the keys we read, in order. */
function ownLines(lines: readonly string[]): string[] {
  const failures = failuresLine(lines);
  const chosen = new Map<string, number>();
  lines.forEach((line, index) => {
    const key = keyOf(line);
    if (key !== 'model' && !Object.hasOwn(READERS, key)) return;
    const place = LATE_KEYS[key];
    if (place === undefined && chosen.has(key)) return;
    if (place === 'last-before-failures' && index > failures) return;
    chosen.set(key, index);
  });
  return [...chosen.values()].sort((a, b) => a - b).map((index) => lines[index] ?? '');
}

/** Index of the line that opens the raw failure tails; it follows `attempts_history=`, which foreign text is unlikely to imitate. */
function failuresLine(lines: readonly string[]): number {
  const isFailures = (line: string | undefined) => line?.startsWith('last_action_failures=') ?? false;
  const rendered = lines.findIndex(
    (line, index) => isFailures(line) && (lines[index - 1] ?? '').startsWith('attempts_history='),
  );
  if (rendered >= 0) return rendered;
  const any = lines.findIndex(isFailures);
  return any >= 0 ? any : lines.length;
}

/** The value up to the first run of two white-space characters. */
function head(value: string): string {
  for (let i = 0; i + 1 < value.length; i += 1) {
    if (value.charCodeAt(i) === 32 && value.charCodeAt(i + 1) === 32) return trimPython(value.slice(0, i));
  }
  return trimPython(value);
}

function isSet(value: string): boolean {
  return value !== '' && value !== '(none)';
}

function gainPercent(value: string): number {
  const bare = value.replace(/%+$/, '');
  const beforeSpace = bare.split(' ')[0] ?? '';
  return floatText(beforeSpace.split('%')[0] ?? '') ?? 0;
}

/** Another `name=` after two spaces: where the Coordinator prints a second field on the line (spec 01 G4). */
const NEXT_FIELD = / {2,}\w+=/u;

function literalOrHead(value: string): { decoded: ReturnType<typeof parsePythonLiteral>; shown: string } {
  const whole = parsePythonLiteral(value);
  if (whole.ok) return { decoded: whole, shown: value };
  const next = NEXT_FIELD.exec(value);
  const shown = next ? trimPython(value.slice(0, next.index)) : value;
  const cut = parsePythonLiteral(shown);
  if (cut.ok) return { decoded: cut, shown };
  return { decoded: parsePythonLiteral(head(value)), shown: head(value) };
}

function stackSize(value: string): number {
  if (!isSet(head(value))) return 0;
  const { decoded, shown } = literalOrHead(value);
  if (!decoded.ok) return shown.split(',').filter((part) => trimPython(part) !== '').length;
  if (decoded.type === 'list' || decoded.type === 'tuple') return listOr(decoded.value).length;
  if (decoded.type === 'str') return decoded.value === '(none)' ? 0 : 1;
  return 0;
}

function familyList(value: string): string[] {
  if (!isSet(head(value))) return [];
  const { decoded } = literalOrHead(value);
  if (!decoded.ok || (decoded.type !== 'list' && decoded.type !== 'tuple')) return [];
  return listOr(decoded.value)
    .map(text)
    .filter((family) => family !== undefined)
    .map((family) => trimPython(family))
    .filter((family) => family !== '');
}
