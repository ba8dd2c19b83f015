import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asModule } from '../../support/as-module.js';
import { tempDir } from '../../support/temp-dir.js';

/** What a process of its own prints: the flags of V8 hold for a whole process. */
async function printedBy(source: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const module = await asModule('src/runtime/start/second-compiler.ts');
  const script = join(tempDir(), 'script.cjs');
  writeFileSync(script, `const { secondCompiler } = require(${JSON.stringify(module)});\n${source}`);
  const { stdout, stderr } = spawnSync(process.execPath, [
    '--allow-natives-syntax',
    // Only the compiler in question, and at once instead of for several functions together.
    '--no-opt',
    '--no-baseline-batch-compilation',
    script,
  ]);
  return { stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Says whether a function that is called often is compiled a second time; 1 << 15 is V8's bit for that compiler. */
const COMPILED = `
  function isCompiledAgain() {
    const often = new Function('x', 'let sum = 0; for (let i = 0; i < 50; i += 1) sum += i * x; return sum;');
    for (let i = 0; i < 2000; i += 1) often(i);
    return (%GetOptimizationStatus(often) & (1 << 15)) !== 0;
  }
`;

describe('the compiler for functions that are met often', () => {
  it('is turned off and on again', async () => {
    const { stdout } = await printedBy(`${COMPILED}
      const turn = secondCompiler();
      turn(false);
      const off = isCompiledAgain();
      turn(true);
      console.log(JSON.stringify({ off, on: isCompiledAgain() }));`);
    expect(JSON.parse(stdout)).toEqual({ off: false, on: true });
  });

  it('warns of nothing, and lets later warnings through', async () => {
    const { stderr } = await printedBy(`
      secondCompiler()(false);
      process.emitWarning('something else', 'DeprecationWarning', 'DEP9999');`);
    expect(stderr).not.toContain('DEP0111');
    expect(stderr).toContain('DEP9999');
  });

  it('stays as it is where there is no door to it', async () => {
    const { stdout, stderr } = await printedBy(`
      process.binding = () => { throw new Error('closed'); };
      const turn = secondCompiler();
      turn(false);
      turn(true);
      console.log('went on');`);
    expect({ stdout, stderr }).toEqual({ stdout: 'went on\n', stderr: '' });
  });
});
