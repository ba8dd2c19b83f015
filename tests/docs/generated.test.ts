import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.js';

const execFileAsync = promisify(execFile);

/** A copy of what the generator reads and writes. */
function copyOfTheHouse(): string {
  const copy = tempDir();
  for (const part of ['src', 'scripts', 'schemas', 'docs', 'package.json']) {
    cpSync(part, join(copy, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function check(root: string): Promise<{ code: number; stderr: string }> {
  try {
    const { stderr } = await execFileAsync(process.execPath, [join(root, 'scripts/generate.mjs'), '--check']);
    return { code: 0, stderr };
  } catch (error) {
    const { code = -1, stderr = '' } = error as { code?: number; stderr?: string };
    return { code, stderr };
  }
}

describe('the generated files', () => {
  it('are current', async () => {
    expect(await check('.')).toEqual({ code: 0, stderr: '' });
  });

  it('that are stale, missing or nobody’s are named, and fail the check', async () => {
    const copy = copyOfTheHouse();
    const rule = join(copy, 'docs/rules/crash.md');
    writeFileSync(rule, readFileSync(rule, 'utf8').replace('Severity medium', 'Severity low'));
    writeFileSync(join(copy, 'docs/rules/gone.md'), '# gone\n');
    writeFileSync(join(copy, 'schemas/config.schema.json'), '{}\n');
    const { code, stderr } = await check(copy);
    expect(code).toBe(1);
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'schemas/config.schema.json is not current',
      'docs/rules/crash.md is not current',
      'docs/rules/gone.md belongs to nothing',
    ]);
    expect(stderr).toContain('npm run generate');
  });
});
