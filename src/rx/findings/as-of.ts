import { SEVERITY_RANK, SEVERITY_WEIGHT } from './finding.js';
import type { LabelledEpisode, LabelledSession } from './labelled-episode.js';
import type { EpisodeView } from './pattern-features.js';
import { type PatternFigures, patternFigures } from './pattern-features.js';

/** The whole episode, as the ranking sees it. */
export function viewOf({ episode }: LabelledEpisode): EpisodeView {
  return {
    session: episode.session_id,
    severity_weight: SEVERITY_WEIGHT[episode.severity],
    outcome: episode.outcome,
    latency: episode.latency,
    acted: episode.acted !== null,
    escalated: episode.escalated,
    emissions: episode.emissions.length,
  };
}

/** What was known of an episode at a time; null when it had not begun. */
export function viewAt(labelled: LabelledEpisode, time: number): EpisodeView | null {
  const { episode, judged_unix: judged } = labelled;
  const seen = episode.emissions.filter((emission) => emission.timestamp <= time);
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return null;
  const highest = seen.reduce((most, one) => Math.max(most, SEVERITY_WEIGHT[one.severity]), 0);
  const known = judged !== null && judged <= time;
  return {
    session: episode.session_id,
    severity_weight: highest,
    outcome: known ? episode.outcome : 'censored',
    latency: known ? episode.latency : null,
    acted: episode.acted !== null && episode.acted.timestamp <= time,
    escalated: SEVERITY_RANK[last.severity] > SEVERITY_RANK[first.severity],
    emissions: seen.length,
  };
}

/**
 * Figures of each given episode's pattern as of the emission that its label counts from, so that no later event leaks into
 * them (spec 06 F.10). Episodes without a time give null. One sweep over all episodes in order of time.
 */
export function figuresAsOf(
  wanted: readonly LabelledEpisode[],
  sessions: readonly LabelledSession[],
): (PatternFigures | null)[] {
  const byPattern = groupByPattern(sessions);
  const starts = sessions
    .flatMap((session) => session.episodes)
    .map(({ episode }) => ({ pattern: episode.pattern, time: episode.emissions[0]?.timestamp ?? Number.NaN }))
    .filter(({ time }) => Number.isFinite(time))
    .sort((a, b) => a.time - b.time);
  const sessionStarts = sessions.map((session) => session.started_unix).sort((a, b) => a - b);
  const order = wanted.map((_, i) => i).sort((a, b) => timeOf(wanted[a]) - timeOf(wanted[b]));
  const counts = new Map<string, number>();
  const figures = new Array<PatternFigures | null>(wanted.length).fill(null);
  let next = 0;
  let begun = 0;
  let most = 1;
  for (const index of order) {
    const row = wanted[index];
    const time = timeOf(row);
    if (row === undefined || !Number.isFinite(time)) continue;
    for (let start = starts[next]; start !== undefined && start.time <= time; start = starts[++next]) {
      const count = (counts.get(start.pattern) ?? 0) + 1;
      counts.set(start.pattern, count);
      most = Math.max(most, count);
    }
    while ((sessionStarts[begun] ?? Number.POSITIVE_INFINITY) <= time) begun += 1;
    const views = (byPattern.get(row.episode.pattern) ?? []).flatMap((one) => viewAt(one, time) ?? []);
    figures[index] = patternFigures(views, {
      most_episodes: most,
      sessions: Math.max(1, begun),
    });
  }
  return figures;
}

/** All episodes by pattern, patterns in order of first appearance. */
export function groupByPattern(sessions: readonly LabelledSession[]): Map<string, LabelledEpisode[]> {
  const groups = new Map<string, LabelledEpisode[]>();
  for (const session of sessions) {
    for (const labelled of session.episodes) {
      const list = groups.get(labelled.episode.pattern);
      if (list === undefined) groups.set(labelled.episode.pattern, [labelled]);
      else list.push(labelled);
    }
  }
  return groups;
}

function timeOf(labelled: LabelledEpisode | undefined): number {
  return labelled?.label.from.timestamp ?? Number.NaN;
}
