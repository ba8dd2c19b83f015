import { readPseudoFile } from '../tools/read-pseudo-file.js';

const MAX_TABLE = 8 * 2 ** 20;
const MAX_SUMMARY = 4096;
const TABLES = [
  { name: 'tcp', summary: 'sockstat', none: /^TCP: inuse 0\b/m },
  { name: 'tcp6', summary: 'sockstat6', none: /^TCP6: inuse 0\b/m },
];
const LISTEN = '0A';
const ROW = /^\s*\d+: [0-9A-F]{8,32}:([0-9A-F]{4}) [0-9A-F]{8,32}:[0-9A-F]{4} ([0-9A-F]{2})\b/;

/**
 * Ports on which something listens, from `/proc/net/tcp` and `tcp6` (spec 02 §10.4); null when neither can be read.
 */
export function listeningPorts(procRoot: string): ReadonlySet<number> | null {
  const tables = TABLES.map(({ name, summary, none }) => {
    // The kernel walks all of its sockets for a table; where there is none, its summary says so at once.
    if (none.test(readPseudoFile(`${procRoot}/net/${summary}`, MAX_SUMMARY) ?? '')) return '';
    return readPseudoFile(`${procRoot}/net/${name}`, MAX_TABLE);
  });
  if (tables.every((table) => table === undefined)) return null;
  return new Set(tables.flatMap((table) => portsIn(table ?? '')));
}

/** The listening ports of one table: `sl local_address rem_address st …`, in hexadecimal. */
export function portsIn(table: string): number[] {
  return table.split('\n').flatMap((line) => {
    const match = ROW.exec(line);
    return match?.[1] !== undefined && match[2] === LISTEN ? [Number.parseInt(match[1], 16)] : [];
  });
}
