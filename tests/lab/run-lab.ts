import { spawn } from 'node:child_process';
import type { CliRun } from '../support/cli.js';

/** Runs the lab from the command line, as `npm run lab` does. */
export function runLab(args: readonly string[]): Promise<CliRun> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ['bench/run.mjs', 'bench/lab/run.ts', ...args], { stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', failed);
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
}
