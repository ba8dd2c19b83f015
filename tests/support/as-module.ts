import { join } from 'node:path';
import { build } from 'esbuild';
import { tempDir } from './temp-dir.js';

/** One of our sources as a CommonJS module that a process of its own can load; gone after the test. */
export async function asModule(source: string): Promise<string> {
  const outfile = join(tempDir(), 'module.cjs');
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'cjs' });
  return outfile;
}
