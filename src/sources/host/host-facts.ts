import { cleanText } from '../../foreign/hygiene.js';

/** What kind of machine this is: for people and recordings, no rule reads it. Empty texts and null = not known. */
export type HostFacts = {
  readonly hostname: string;
  readonly platform: string;
  /** Name and version of the system, such as `Ubuntu 24.04.1 LTS`. */
  readonly distribution: string;
  readonly kernel: string;
  readonly arch: string;
  readonly cpu_model: string;
  readonly cpu_cores: number | null;
  readonly total_mb: number | null;
  /** Kind of the virtual machine, `""` on bare metal. */
  readonly virtualization: string;
};

const MAX_TEXT = 200;

/**
 * Facts about the host, for `doctor` and recordings. They come from systeminformation, which starts tools of its own on
 * some systems, so this does not belong into a tick. What is not in at the limit is unknown.
 *
 * @param timeoutMs for all facts together
 */
export async function readHostFacts(timeoutMs: number): Promise<HostFacts> {
  const { cpu, mem, osInfo, system } = await import('systeminformation');
  const limit = AbortSignal.timeout(timeoutMs);
  const [os, processor, memory, machine] = await Promise.all([
    inTime(osInfo(), limit),
    inTime(cpu(), limit),
    inTime(mem(), limit),
    inTime(system(), limit),
  ]);
  return {
    hostname: shown(os?.hostname),
    platform: process.platform,
    distribution: shown(`${os?.distro ?? ''} ${os?.release ?? ''}`),
    kernel: shown(os?.kernel),
    arch: process.arch,
    cpu_model: shown(`${processor?.manufacturer ?? ''} ${processor?.brand ?? ''}`),
    cpu_cores: positive(processor?.cores),
    total_mb: positive(memory && Math.round(memory.total / 2 ** 20)),
    virtualization: machine?.virtual ? shown(machine.virtualHost) || 'unknown' : '',
  };
}

/** The value, or undefined when it is late or cannot be had. */
async function inTime<T>(value: Promise<T>, limit: AbortSignal): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => {
    if (limit.aborted) resolve(undefined);
    limit.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return Promise.race([value.catch(() => undefined), late]);
}

function shown(text: string | undefined): string {
  return cleanText((text ?? '').trim(), MAX_TEXT);
}

function positive(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : null;
}
