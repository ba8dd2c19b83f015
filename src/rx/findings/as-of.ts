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
  const histories = new Map(
    [...groupByPattern(sessions)].map(([key, members]) => [key, new PatternHistory(members)]),
  );
  const starts = sessions.flatMap((session) => session.episodes).map((one) => ({ one, time: startOf(one) }));
  const begun = new Sweep(starts);
  const sessionsBegun = new Sweep(sessions.map((one) => ({ one, time: one.started_unix })));
  const order = wanted.map((_, i) => i).sort((a, b) => timeOf(wanted[a]) - timeOf(wanted[b]));
  const counts = new Map<string, number>();
  const figures = new Array<PatternFigures | null>(wanted.length).fill(null);
  let most = 1;
  let sessionCount = 0;
  for (const index of order) {
    const row = wanted[index];
    const time = timeOf(row);
    const history = row === undefined ? undefined : histories.get(row.episode.pattern);
    if (history === undefined || !Number.isFinite(time)) continue;
    for (const { episode } of begun.until(time)) {
      const count = (counts.get(episode.pattern) ?? 0) + 1;
      counts.set(episode.pattern, count);
      most = Math.max(most, count);
    }
    sessionCount += sessionsBegun.until(time).length;
    figures[index] = patternFigures(history.at(time), {
      most_episodes: most,
      sessions: Math.max(1, sessionCount),
    });
  }
  return figures;
}

/** Hands out items in order of time, each once; items without a time never. */
class Sweep<T> {
  private readonly items: readonly { readonly one: T; readonly time: number }[];
  private next = 0;

  constructor(items: readonly { readonly one: T; readonly time: number }[]) {
    this.items = items.filter(({ time }) => Number.isFinite(time)).sort((a, b) => a.time - b.time);
  }

  until(time: number): T[] {
    const from = this.next;
    while ((this.items[this.next]?.time ?? Number.POSITIVE_INFINITY) <= time) this.next += 1;
    return this.items.slice(from, this.next).map(({ one }) => one);
  }
}

/** The episodes of one pattern as they were known at ascending times; those that are settled are looked at once. */
class PatternHistory {
  private readonly begun: Sweep<LabelledEpisode>;
  private readonly settled: EpisodeView[] = [];
  private open: LabelledEpisode[] = [];

  constructor(members: readonly LabelledEpisode[]) {
    this.begun = new Sweep(members.map((one) => ({ one, time: startOf(one) })));
  }

  at(time: number): EpisodeView[] {
    const candidates = [...this.open, ...this.begun.until(time)];
    this.open = candidates.filter((one) => settledAt(one) > time);
    for (const one of candidates) if (settledAt(one) <= time) this.settled.push(viewOf(one));
    return [...this.settled, ...this.open.flatMap((one) => viewAt(one, time) ?? [])];
  }
}

function startOf({ episode }: LabelledEpisode): number {
  return episode.emissions[0]?.timestamp ?? Number.NaN;
}

/** From then on nothing more is learned of the episode. */
function settledAt({ episode, judged_unix: judged }: LabelledEpisode): number {
  const last = episode.emissions.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY;
  return judged === null ? Number.POSITIVE_INFINITY : Math.max(judged, last);
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
