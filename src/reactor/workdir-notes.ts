import { basename, dirname, join, resolve } from 'node:path';
import { asciiJson } from '../foreign/ascii-json.js';
import { replaceFile, type WriteFailure } from '../foreign/write-file.js';
import type { Finding } from './findings/finding.js';

/** Directory in which the Coordinator keeps a turn's request and answer. */
const WORKDIR = 'robustness-workdir';

/**
 * Writes the two notes that the Coordinator reads for its own breakdown of a session (spec 01 §1.7): the most severe symptom
 * of the turn and what was done about it. Only beside an answer inside a turn's working directory.
 */
export function writeWorkdirNotes(
  outPath: string,
  findings: readonly Finding[],
  nowUnix: number,
): WriteFailure | undefined {
  const turn = dirname(resolve(outPath));
  if (basename(dirname(turn)) !== WORKDIR) return undefined;
  const ts = new Date(nowUnix * 1000).toISOString();
  const first = findings[0];
  const types = first?.intents.map((intent) => intent.intent_type) ?? [];
  const action = types.length === 0 ? 'heartbeat' : types.join('+');
  const note = (name: string, content: { readonly [key: string]: string }) =>
    replaceFile(join(turn, name), `${asciiJson({ ts, ...content })}\n`, {
      createDirectory: false,
      durable: false,
    });
  return note('signal.json', { signal: first?.symptom_name ?? 'none' }) ?? note('action.json', { action });
}
