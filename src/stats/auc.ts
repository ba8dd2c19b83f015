/**
 * Area under the ROC curve as the Mann–Whitney statistic by rank sums with mid-ranks, O(n log n) (Hanley & McNeil 1982;
 * 06 B.7, F.7.3): the share of positive–negative pairs in which the positive scores higher, ties counting one half.
 *
 * @returns null when one of the classes is missing
 */
export function auc(scores: readonly number[], labels: readonly number[]): number | null {
  const order = scores.map((_, index) => index).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  let positives = 0;
  let rankSum = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    let inTie = 0;
    const score = scores[order[from] ?? 0];
    for (; to < order.length && scores[order[to] ?? 0] === score; to += 1) {
      if (labels[order[to] ?? 0] === 1) inTie += 1;
    }
    rankSum += (inTie * (from + 1 + to)) / 2;
    positives += inTie;
    from = to;
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return null;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
