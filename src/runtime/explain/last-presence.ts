import { isObject, type JsonObject, listOr, objectOr, parseJson } from '../../foreign/json.js';
import { presencePath } from '../../reactor/store/paths.js';
import { readTextBounded } from '../../sources/tools/read-file.js';

const TAIL_BYTES = 256 * 1024;

/** What the last evaluation saw. */
export interface LastPresence {
  readonly tick: number;
  /** Unix s. */
  readonly unix: number;
  readonly present: readonly string[];
  /** Key to the reason for its silence. */
  readonly muted: Readonly<Record<string, string>>;
  /** Names of symptoms that could not be judged. */
  readonly undecided: readonly string[];
}

/** The last whole line of a session's presence file; undefined when there is none. */
export function lastPresence(sessionDir: string, sessionId: string): LastPresence | undefined {
  const read = readTextBounded(presencePath(sessionDir, sessionId), {
    maxBytes: TAIL_BYTES,
    oversize: 'tail',
  });
  if (!read.ok) return undefined;
  const rows = read.text.split('\n').toReversed();
  for (const row of rows) {
    const parsed = parseJson(row);
    if (parsed.ok && isObject(parsed.value)) return presenceOf(parsed.value);
  }
  return undefined;
}

function presenceOf(row: JsonObject): LastPresence {
  const muted = Object.entries(objectOr(row['muted']));
  return {
    tick: Number(row['tick_index'] ?? 0),
    unix: Number(row['timestamp_unix'] ?? 0),
    present: listOr(row['present']).filter((key) => typeof key === 'string'),
    muted: Object.fromEntries(muted.map(([key, reason]) => [key, String(reason)])),
    undecided: listOr(row['undecided']).filter((name) => typeof name === 'string'),
  };
}
