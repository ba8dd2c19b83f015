import { dirname, resolve } from 'node:path';
import { finiteNumber, objectsOf, text } from '../../foreign/json.js';
import type { Join } from '../collector.js';
import type { ProcessFact } from '../facts.js';
import { isInside } from '../tools/paths.js';

/** How much earlier than its first lines a log's newest sample may look, s. */
const TOLERANCE_S = 5;

/** Keeps the engines whose server lives and is ours: a dead server's last words are no hang (spec 04 §11). */
export const livingEngines: Join = {
  name: 'living_engines',
  join(slots, env) {
    if (slots.local_engine === null || slots.local_engine === undefined) return {};
    const table = env.facts.processes;
    if (table === undefined) return { local_engine: null };
    const servers = table.processes.filter((process) => process.isServer && process.sessionOwned === true);
    const alive = objectsOf(slots.local_engine).filter((engine) => {
      const log = text(engine['log']) ?? '';
      const newest = objectsOf(engine['samples']).at(-1);
      const unix = finiteNumber(newest?.['unix']);
      if (unix === undefined) return false;
      const candidates = servers.filter((server) => (server.startUnix ?? 0) <= unix + TOLERANCE_S);
      return candidates.length > 0 && writesInto(candidates, resolve(env.sessionDir ?? '/', log));
    });
    return { local_engine: alive };
  },
};

/** With several servers the log must lie where one of them works or was told to write; a single one needs no telling. */
function writesInto(servers: readonly ProcessFact[], log: string): boolean {
  const directory = dirname(log);
  const named = servers.filter(
    ({ cwd, argv }) =>
      (cwd !== '' && isInside(directory, cwd)) || argv.some((argument) => argument.includes(directory)),
  );
  if (named.length > 0) return true;
  const roots = servers.filter((server) => !servers.some((other) => other.pid === server.ppid));
  return roots.length === 1;
}
