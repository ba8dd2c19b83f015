#!/usr/bin/env node
// Builds the library beside the CLI: one ES module and the declarations that its public types need, no others.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const OUT = 'dist/api';
const fresh = `dist/api.new-${process.pid}`;

try {
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.api.json', '--outDir', fresh],
    {
      stdio: 'inherit',
    },
  );
  keepOnly(reachable(join(fresh, 'index.d.ts')));
  await build({
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
    entryPoints: ['src/index.ts'],
    outdir: fresh,
  });
  // The directory above says "commonjs".
  writeFileSync(join(fresh, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
  rmSync(OUT, { recursive: true, force: true });
  renameSync(fresh, OUT);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** A declaration file and all that it leads to. */
function reachable(entry) {
  const found = new Set();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const targets = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g);
    for (const [, target] of targets) waiting.push(join(dirname(file), `${target}.d.ts`));
  }
  return found;
}

function keepOnly(kept) {
  for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(path)) rmSync(path);
  }
}
