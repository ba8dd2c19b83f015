import type { Secret } from '../safety/redactor.js';
import type { DriverReading, SandboxDriver } from './box.js';
import { isInstalled, openBwrap } from './bwrap.js';
import type { SandboxChoice } from './choice.js';

export interface OpenedSandbox {
  readonly driver: SandboxDriver | null;
  readonly warnings: readonly string[];
}

let probing: Promise<DriverReading> | undefined;

/**
 * The sandbox that is wanted and works here; asked for by name or by its key, its absence is worth a warning (spec 07 B13).
 *
 * @param e2bKey key of E2B, whose sandboxes are used when they are asked for, or when bubblewrap does not work here
 */
export async function openSandbox(
  choice: SandboxChoice,
  e2bKey: Secret | null = null,
): Promise<OpenedSandbox> {
  if (choice === 'none') return { driver: null, warnings: [] };
  if (choice !== 'e2b') {
    const local = await probeBwrap();
    if (local.ok) return { driver: local.driver, warnings: [] };
    if (choice === 'bwrap') return absent(local.reason);
    if (e2bKey === null) return { driver: null, warnings: [] };
  }
  if (e2bKey === null) return absent('e2b_api_key is not set');
  const { openE2b } = await import('./remote/e2b.js');
  const remote = await openE2b({ apiKey: e2bKey });
  return remote.ok ? { driver: remote.driver, warnings: [] } : absent(remote.reason);
}

/** True when there is a sandbox to try, without trying it. */
export function mayHaveSandbox(choice: SandboxChoice, hasE2bKey = false): boolean {
  if (choice === 'none') return false;
  return (choice !== 'e2b' && isInstalled()) || (choice !== 'bwrap' && hasE2bKey);
}

/** What the kernel allows does not change while a process lives; a failure may be that of a busy moment. */
async function probeBwrap(): Promise<DriverReading> {
  probing ??= openBwrap(new AbortController().signal);
  const reading = await probing;
  if (!reading.ok) probing = undefined;
  return reading;
}

function absent(reason: string): OpenedSandbox {
  return { driver: null, warnings: [`no sandbox: ${reason}`] };
}
