import { isIP } from 'node:net';

/** Stand-ins for host names and user ids, the same one for the same name (spec 07 C2, `mask_identifiers`). */
export interface Masker {
  mask(text: string): string;
  /** The names back in place of their stand-ins. */
  unmask(text: string): string;
}

export interface MaskerOptions {
  /** Names that are known before any text is seen: this machine's, the configured services' hosts. */
  readonly hosts?: readonly string[];
  readonly users?: readonly string[];
  /** True for a name that evidence is asked for by; such a name stays, or no model could follow it. */
  readonly isService?: (name: string) => boolean;
}

type Kind = 'host' | 'user';

const STAND_IN = /\bmasked-(?:host|user|text)-\d+\b/g;
/** Names of everybody and nobody. */
const COMMON = new Set(
  'localhost root user users admin nobody daemon node app service host unknown none null true false'.split(
    ' ',
  ),
);
const HOST_FIELD =
  'host|host[._-]?name|node[._-]?name|nodename|node|server[._](?:address|name)|net\\.peer\\.(?:name|ip)|peer|peer[._]addr(?:ess)?|client[._](?:ip|addr(?:ess)?)|remote[._](?:addr(?:ess)?|host|ip)|instance|machine';
const USER_FIELD =
  'user|user[._-]?(?:id|name)|uid|login|account|account[._-]?(?:id|name)|customer|customer[._-]?(?:id|name)|enduser[._]id|owner|email|e-mail';
/** A key, with or without quotes and backslashes, and the sign after it. */
const field = (names: string): string =>
  `(?<![\\w.-])(?:${names})\\\\{0,3}["']?[ \\t]{0,4}[:=][ \\t]{0,4}\\\\{0,3}["']?`;
/** Ends of names of hosts; the short ones also end names of modules, so they count after two dots only. */
const CLEAR_END = 'internal|lan|corp|intra|localdomain|private|com|net|org|cloud|edu|gov';
const SHORT_END = 'local|io|ai|dev|de|eu|uk|fr|cn|jp';
const LABEL = '[A-Za-z0-9][A-Za-z0-9-]{0,62}\\.';

interface Shape {
  readonly kind: Kind;
  readonly pattern: RegExp;
}

/** Where a name can be told from its surroundings; each captures what stands before it, and the name. */
const SHAPES: readonly Shape[] = [
  {
    kind: 'user',
    pattern: /()([\w.+-]{1,64}@[A-Za-z0-9](?:[\w-]{0,62}\.)+[A-Za-z]{2,24})(?![\w-])/g,
  },
  { kind: 'user', pattern: /(\/(?:home|Users)\/)([\w][\w.-]{0,63})/g },
  { kind: 'user', pattern: new RegExp(`(${field(USER_FIELD)})([A-Za-z0-9][\\w.@+-]{0,127})`, 'gi') },
  {
    kind: 'host',
    pattern: /(\b[a-z][a-z0-9+.-]{1,12}:\/\/(?:[^\s/?#"'<>@\\]{0,200}@)?\[?)([A-Za-z0-9][\w.:-]{0,252})/gi,
  },
  { kind: 'host', pattern: new RegExp(`(${field(HOST_FIELD)})([A-Za-z0-9][\\w.-]{0,252})`, 'gi') },
  {
    kind: 'host',
    pattern:
      /(\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )([A-Za-z0-9][\w.-]{0,252})(?= [\w./-]{1,64}(?:\[\d{1,8}\])?:)/g,
  },
  { kind: 'host', pattern: /(\b[\w-]{1,64}@)([A-Za-z][\w-]{0,62}\d[\w-]{0,62})(?=[:\s])/g },
  {
    kind: 'host',
    pattern: new RegExp(
      `()(?<![\\w.@/-])((?:${LABEL}){1,8}(?:${CLEAR_END})|(?:${LABEL}){2,8}(?:${SHORT_END}))(?![\\w(-]|\\.\\w)`,
      'g',
    ),
  },
  { kind: 'host', pattern: /()(?<![\w.-])((?:\d{1,3}\.){3}\d{1,3})(?![\w-]|\.\d)/g },
  { kind: 'host', pattern: /()(?<![\w:.])([0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})(?![\w:.])/g },
];

/** Begins with no name known but those given; names are learned as texts pass. */
export function createMasker({ hosts = [], users = [], isService }: MaskerOptions = {}): Masker {
  const standIns = new Map<string, string>();
  const names = new Map<string, string>();
  /** Those that are masked wherever they stand, longest first. */
  let everywhere: string[] = [];
  const standInFor = (name: string, kind: Kind | 'text'): string => {
    const known = standIns.get(name);
    if (known !== undefined) return known;
    const made = `masked-${kind}-${standIns.size + 1}`;
    standIns.set(name, made);
    names.set(made, name);
    return made;
  };
  const learn = (name: string, kind: Kind): void => {
    standInFor(name, kind);
    if (everywhere.includes(name)) return;
    everywhere = [...everywhere, name].sort((a, b) => b.length - a.length);
  };
  for (const [kind, known] of [
    ['host', hosts],
    ['user', users],
  ] as const) {
    for (const name of known) if (name.length > 2 && !isHarmless(name)) learn(name, kind);
  }
  /** What stands in for a name found by its surroundings; the name itself where it says nothing about anybody. */
  const replaced = (found: string, kind: Kind): string => {
    const name = kind === 'host' ? withoutPort(found) : found;
    const isNone = name === '' || isHarmless(name) || isService?.(name) === true || STAND_IN.test(name);
    STAND_IN.lastIndex = 0;
    if (isNone) return found;
    if (isDistinctive(name)) learn(name, kind);
    return standInFor(name, kind) + found.slice(name.length);
  };
  return {
    mask(text) {
      // What looks like one of ours is a name as any other, so that nobody can have it turned into a real one.
      let out = text.replace(STAND_IN, (literal) => standInFor(literal, 'text'));
      for (const { kind, pattern } of SHAPES) {
        out = out.replace(pattern, (_whole, lead: string, found: string) => lead + replaced(found, kind));
      }
      for (const name of everywhere) {
        if (out.includes(name)) out = replaceWhole(out, name, standInFor(name, 'host'));
      }
      return out;
    },
    unmask: (text) => text.replace(STAND_IN, (standIn) => names.get(standIn) ?? standIn),
  };
}

function withoutPort(found: string): string {
  if (isIP(found) !== 0) return found;
  return found.replace(/:\d{0,5}$/, '').replace(/[.:-]+$/, '');
}

/** Names of everybody, addresses of nobody else, and what cannot be a name. */
function isHarmless(name: string): boolean {
  const lower = name.toLowerCase();
  if (COMMON.has(lower) || lower === '::' || lower === '::1' || /^127\.|^0\.0\.0\.0$/.test(lower))
    return true;
  // A colon without an address is the time of day; digits alone are masked as an id, short ones say nothing.
  if (lower.includes(':')) return isIP(lower) === 0;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(lower)) return isIP(lower) === 0;
  return /^\d{1,2}$/.test(lower);
}

/** Long and odd enough that the same word elsewhere is the same name. */
function isDistinctive(name: string): boolean {
  return name.length >= 4 && /[.\d@_-]/.test(name) && !/^\d{1,5}$/.test(name);
}

function replaceWhole(text: string, name: string, standIn: string): string {
  const parts = text.split(name);
  return parts.reduce((out, part, index) => {
    if (index === 0) return part;
    const isInside = /[\w-]$/.test(out) || /^[\w-]/.test(part);
    return out + (isInside ? name : standIn) + part;
  }, '');
}
