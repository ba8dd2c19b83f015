import { compareCodePoints } from '../../foreign/order.js';

/** Kinds of entity keys `kind:value`, most telling first (spec 07 B7.1). */
export const ENTITY_KINDS = [
  'task',
  'run',
  'kernel',
  'gpu',
  'pid',
  'service',
  'agent',
  'url',
  'mount',
  'session',
] as const;

const MAX_VALUE = 200;
const SUBJECT_KINDS: Readonly<Record<string, string>> = {
  agent: 'agent',
  kernel_id: 'kernel',
  gpu_id: 'gpu',
  pid: 'pid',
  url: 'url',
  mountpoint: 'mount',
  task_id: 'task',
};

export function kindOf(entity: string): string {
  return entity.slice(0, entity.indexOf(':'));
}

export function priorityOf(entity: string): number {
  const rank = ENTITY_KINDS.findIndex((kind) => entity.startsWith(`${kind}:`));
  return rank < 0 ? ENTITY_KINDS.length : rank;
}

/** `kind:value`, or nothing for a value that names nothing. */
export function entity(kind: (typeof ENTITY_KINDS)[number], value: unknown): string[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value).trim();
  return text === '' || text.length > MAX_VALUE ? [] : [`${kind}:${text}`];
}

/** A service name for comparison; letters of every script are kept (spec 07 B7.1). */
export function normalizeService(name: string): string {
  return withoutSuffix(
    name
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, ''),
  );
}

/** As the reference folds them: what is outside a–z and 0–9 goes (spec 07 A4.1). */
export function normalizeServiceReference(name: string): string {
  return withoutSuffix(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

export function serviceEntity(name: string): string[] {
  return entity('service', normalizeService(name));
}

/** What a path inside a session directory is about: `runs/<action>/<task>/…`, `agents/<name>/…`. */
export function pathEntities(path: string): string[] {
  const [top, first, second, ...rest] = path.split('/');
  if (top === 'runs' && first !== undefined && second !== undefined && rest.length > 0) {
    return [...entity('task', second), ...entity('run', `${first}/${second}`)];
  }
  return top === 'agents' && first !== undefined && second !== undefined ? entity('agent', first) : [];
}

/** Where to look first; never evidence. */
export function subjectEntities(subject: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(SUBJECT_KINDS).flatMap(([key, kind]) => {
    const known = ENTITY_KINDS.find((candidate) => candidate === kind);
    return known === undefined ? [] : entity(known, subject[key]);
  });
}

/** The entities both have, `session:` never among them. */
export function sharedEntities(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((one) => kindOf(one) !== 'session' && b.includes(one));
}

/** The entity of the most telling kind; ties: in more of the lists, then by name. */
export function leadingEntity(lists: Iterable<readonly string[]>): string | null {
  const counts = new Map<string, number>();
  for (const list of lists) for (const one of new Set(list)) counts.set(one, (counts.get(one) ?? 0) + 1);
  const ranked = [...counts].sort(
    ([a, n], [b, m]) => priorityOf(a) - priorityOf(b) || m - n || compareCodePoints(a, b),
  );
  return ranked[0]?.[0] ?? null;
}

function withoutSuffix(name: string): string {
  return name !== 'service' && name.endsWith('service') ? name.slice(0, -'service'.length) : name;
}
