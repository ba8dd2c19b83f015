import type { Failure } from '../loop/parts.js';

/** A failure with the group of those that went wrong in the same way. */
export type ClusteredFailure = Failure & { readonly cluster: string };

/**
 * Failures by cluster, the largest first, at most so many: what was expected together with what was named or done in its place.
 * Clusters take turns, so that a common failure does not crowd out the others (spec 08 §24.5).
 */
export function clustered(failures: readonly Failure[], limit: number): ClusteredFailure[] {
  const clusters = new Map<string, ClusteredFailure[]>();
  for (const failure of failures) {
    const cluster = `${failure.segment}: ${failure.reason}`;
    const own = clusters.get(cluster) ?? [];
    own.push({ ...failure, cluster });
    clusters.set(cluster, own);
  }
  const bySize = [...clusters.values()].sort((a, b) => b.length - a.length);
  const taken = bySize.map((): ClusteredFailure[] => []);
  let left = Math.min(limit, failures.length);
  for (let round = 0; left > 0; round += 1) {
    for (const [index, own] of bySize.entries()) {
      const next = own[round];
      if (next === undefined || left === 0) continue;
      taken[index]?.push(next);
      left -= 1;
    }
  }
  return taken.flat();
}
