import { extname } from 'node:path';

interface Runner {
  readonly extensions: readonly string[];
  /** The tool that must be there, and what stands before a script's name. */
  readonly command: readonly [string, ...string[]];
}

const RUNNERS: readonly Runner[] = [
  { extensions: ['.py'], command: ['python3'] },
  { extensions: ['.js', '.mjs', '.cjs'], command: ['node'] },
  { extensions: ['.go'], command: ['go', 'run'] },
  { extensions: ['.java'], command: ['java'] },
];

/** How a file of this name is run, or null for a language without a way. */
export function runnerOf(name: string): Runner | null {
  const extension = extname(name).toLowerCase();
  return RUNNERS.find(({ extensions }) => extensions.includes(extension)) ?? null;
}
