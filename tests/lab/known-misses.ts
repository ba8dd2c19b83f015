/** Faults that the agent is known not to report; the reasons stand in docs/known-limits.md. */
const ACCEPTED = ['leak-holders-unknown', 'inodes-run-out'] as const;

/** Faults that the lab has found to be missed and that nobody has mended; listed in docs/detection-lab.md. */
const OPEN = [
  'gpu-missing-from-the-list',
  'reset-only-the-kernel-tells',
  'killed-without-a-word',
  'ray-head-dies-behind-grpc',
  'success-in-name-only',
  'session-files-vanish',
  'attempts-cut-off-by-a-batch-system',
] as const;

/** Faults that are missed in some sessions only, as docs/known-limits.md says; which ones, the seed decides. */
export const SOMETIMES_MISSED: readonly string[] = ['front-end-gone-slow-ticks'];

/** Tests leave these out of what has to be found, and fail when one of them is found after all. */
export const KNOWN_MISSES: readonly string[] = [...ACCEPTED, ...OPEN];

export function isKnownMiss(scenario: string): boolean {
  return KNOWN_MISSES.includes(scenario);
}
