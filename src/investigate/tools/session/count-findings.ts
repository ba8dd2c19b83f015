import { findingsFiles, readFindings } from '../../../reactor/findings/read-findings.js';
import type { SessionFiles } from './session.js';

/** Findings of a session that can be read. */
export async function countLines({ root, sessionId }: SessionFiles): Promise<number> {
  let count = 0;
  for await (const line of readFindings(findingsFiles(root, sessionId))) if (line.ok) count += 1;
  return count;
}
