import { type Json, type JsonObject, objectOr, storedInteger } from '../../../foreign/json.js';

/** What is remembered of the list of GPUs. */
export type GpuRoster = JsonObject & {
  /** Tool that listed them; another one may number them otherwise. */
  readonly tool: string;
  /** GPU to evaluations in which it was listed. */
  readonly listed: Readonly<Record<string, number>>;
  /** GPU to evaluations in a row in which it was not, of those that are expected. */
  readonly missing: Readonly<Record<string, number>>;
};

/** A GPU is expected once it was listed so often, and missed when it was not so often in a row (spec 09 §2: warm-up). */
const MIN_EVALUATIONS = 3;
const MAX_GPUS = 256;

/**
 * The roster after this evaluation. A tool that lists nothing tells nothing. When another tool answers, when ids appear that
 * were not there, or when most are gone, the GPUs were numbered or partitioned anew: then everything is learnt again.
 */
export function nextRoster(
  before: GpuRoster,
  seen: { readonly tool: string; readonly ids: readonly string[]; readonly mayAdvance: boolean },
): GpuRoster {
  const ids = [...new Set(seen.ids)].slice(0, MAX_GPUS);
  if (ids.length === 0) return before;
  const step = seen.mayAdvance ? 1 : 0;
  const here = new Set(ids);
  const gone = Object.keys(before.listed).filter((id) => !here.has(id));
  const isNewOrder =
    before.tool !== seen.tool ||
    (gone.length > 0 && ids.some((id) => before.listed[id] === undefined)) ||
    gone.length > ids.length;
  if (isNewOrder) return { tool: seen.tool, listed: counts(ids, () => 1), missing: {} };
  const expected = gone.filter((id) => (before.listed[id] ?? 0) >= MIN_EVALUATIONS);
  return {
    tool: seen.tool,
    listed: {
      ...counts(ids, (id) => Math.min(MIN_EVALUATIONS, (before.listed[id] ?? 1 - step) + step)),
      ...counts(expected, (id) => before.listed[id] ?? 0),
    },
    missing: counts(expected, (id) => (before.missing[id] ?? 0) + step),
  };
}

/** GPUs that have been missing for long enough to say so. */
export function missingGpus({ missing }: GpuRoster): string[] {
  return Object.entries(missing).flatMap(([id, count]) => (count >= MIN_EVALUATIONS ? [id] : []));
}

export function parseRoster(value: Json | undefined): GpuRoster {
  const raw = objectOr(value);
  const { tool } = raw;
  return {
    tool: typeof tool === 'string' ? tool : '',
    listed: parseCounts(raw['listed']),
    missing: parseCounts(raw['missing']),
  };
}

function parseCounts(value: Json | undefined): Record<string, number> {
  const entries = Object.entries(objectOr(value)).slice(0, MAX_GPUS);
  return Object.fromEntries(entries.map(([id, count]) => [id, Math.max(0, storedInteger(count, 0))]));
}

function counts(ids: readonly string[], of: (id: string) => number): Record<string, number> {
  return Object.fromEntries(ids.map((id) => [id, of(id)]));
}
