import type { BoxCommand, BoxRun, DriverReading } from '../../../src/investigate/sandbox/box.js';
import { openBwrap } from '../../../src/investigate/sandbox/bwrap.js';

/** What this machine allows; tests of the sandbox say the reason where it forbids it. */
export const reading: DriverReading = await openBwrap(new AbortController().signal);

export const cannotRun = reading.ok ? '' : ` (skipped: ${reading.reason})`;

/** Runs something in the sandbox of this machine. */
export function run(argv: readonly string[], parts: Partial<BoxCommand> = {}): Promise<BoxRun> {
  if (!reading.ok) throw new Error(reading.reason);
  return reading.driver.run({
    argv,
    files: {},
    source: null,
    wallMs: 20_000,
    signal: new AbortController().signal,
    ...parts,
  });
}

/** Runs a Python program. */
export function python(code: string, parts: Partial<BoxCommand> = {}): Promise<BoxRun> {
  return run(['python3', 'main.py'], { ...parts, files: { 'main.py': code, ...parts.files } });
}
