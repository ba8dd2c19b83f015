import type { GpuObservation } from './reading.js';

export type GpuVendor = 'amd' | 'nvidia';

const VARIABLES = {
  amd: ['ROCR_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'CUDA_VISIBLE_DEVICES'],
  nvidia: ['CUDA_VISIBLE_DEVICES'],
} as const satisfies Record<GpuVendor, readonly string[]>;

/** Which devices a session may use: true or false per `gpu_id`; null when the variable cannot be resolved. */
export type Visibility = (gpuId: number) => boolean | null;

/**
 * Visibility by the first variable of the vendor that is set (spec 02 §10.2 i): ordinals in the vendor's order or prefixes
 * of UUIDs; empty means none; as in the drivers, what follows the first invalid element does not count.
 */
export function visibility(
  vendor: GpuVendor,
  env: Readonly<Record<string, string | undefined>>,
  devices: readonly Pick<GpuObservation, 'gpu_id' | 'uuid'>[],
): Visibility {
  const name = VARIABLES[vendor].find((variable) => env[variable] !== undefined);
  if (name === undefined) return () => true;
  const value = (env[name] ?? '').slice(0, 8192);
  const tokens = value.split(',').map((token) => token.trim());
  if (value.trim() === '') return () => false;
  const ordered = [...devices].sort((a, b) => a.gpu_id - b.gpu_id);
  const visible = new Set<number>();
  let isResolved = false;
  for (const token of tokens) {
    if (/^(?:-\d+|NoDevFiles|none|void)$/i.test(token)) {
      isResolved = true;
      break;
    }
    if (/^\d{1,5}$/.test(token)) {
      isResolved = true;
      const device = ordered[Number(token)];
      if (!device) break;
      visible.add(device.gpu_id);
    } else {
      const matches = ordered.filter((device) => isUuidPrefix(token, device.uuid));
      const [match] = matches;
      if (!match || matches.length > 1) break;
      isResolved = true;
      visible.add(match.gpu_id);
    }
  }
  return isResolved ? (gpuId) => visible.has(gpuId) : () => null;
}

function isUuidPrefix(token: string, uuid: string | undefined): boolean {
  return /^GPU-[\w-]+$/i.test(token) && (uuid?.toLowerCase().startsWith(token.toLowerCase()) ?? false);
}
