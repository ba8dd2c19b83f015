import { parseSilences, type Silence } from '../../decision/ladder/silences.js';
import { readJson } from '../../sources/tools/read-json.js';
import { silencesPath } from './paths.js';

const MAX_BYTES = 1024 * 1024;

/** The operator's silences of a session; a file that cannot be read silences nothing and is named. */
export function loadSilences(sessionDir: string): { silences: readonly Silence[]; problem?: string } {
  const read = readJson(silencesPath(sessionDir), { maxBytes: MAX_BYTES });
  if (read.ok && !Array.isArray(read.value)) return { silences: [], problem: 'silences.json holds no list' };
  if (read.ok) return { silences: parseSilences(read.value) };
  if (read.reason === 'missing') return { silences: [] };
  return { silences: [], problem: `silences.json not readable (${read.reason}): ${read.detail}` };
}
