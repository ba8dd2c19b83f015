import { join } from 'node:path';

/** Where the investigations of a session are kept (spec 07 B2). */
export function investigationsDirectory(sessionDir: string): string {
  return join(sessionDir, 'agents', 'robustness', 'investigations');
}

export const ID_PATTERN = /^inv-\d{1,12}-[0-9a-f]{8}$/;
export const JOB_PATTERN = /^job-\d{1,12}-[0-9a-f]{8}$/;

/** `inv-` + unix seconds + `-` + 8 hex digits. */
export function investigationId(nowUnix: number, random: string): string {
  return `inv-${Math.floor(nowUnix)}-${random}`;
}
