import type { DriverReading, SandboxDriver } from './box.js';
import { isInstalled, openBwrap } from './bwrap.js';
import type { SandboxChoice } from './choice.js';

export interface OpenedSandbox {
  readonly driver: SandboxDriver | null;
  readonly warnings: readonly string[];
}

let probing: Promise<DriverReading> | undefined;

/** The sandbox that is wanted and works here; asked for by name, its absence is worth a warning (spec 07 B13). */
export async function openSandbox(choice: SandboxChoice): Promise<OpenedSandbox> {
  if (choice === 'none') return { driver: null, warnings: [] };
  // What the kernel allows does not change while a process lives; a failure may be that of a busy moment.
  probing ??= openBwrap(new AbortController().signal);
  const reading = await probing;
  if (!reading.ok) probing = undefined;
  if (reading.ok) return { driver: reading.driver, warnings: [] };
  return { driver: null, warnings: choice === 'bwrap' ? [`no sandbox: ${reading.reason}`] : [] };
}

/** True when there is a sandbox to try, without trying it. */
export function mayHaveSandbox(choice: SandboxChoice): boolean {
  return choice !== 'none' && isInstalled();
}
