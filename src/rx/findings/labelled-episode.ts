import { readBus } from './bus.js';
import { type Episode, episodesOf } from './episodes.js';
import { type EpisodeLabel, labelEpisode } from './label.js';
import { segmentsOf } from './segments.js';
import type { SessionRecord } from './session.js';
import { Sightings } from './windows.js';

/** An episode with its label and the times that later steps need. */
export interface LabelledEpisode {
  readonly episode: Episode;
  readonly label: EpisodeLabel;
  /** When its outcome was known, seconds since the epoch; null when the times of the ticks are not. */
  readonly judged_unix: number | null;
}

/** One session, cut into labelled episodes. */
export interface LabelledSession {
  readonly session_id: string;
  readonly directory: string;
  readonly findings: number;
  readonly torn_lines: number;
  readonly segments: number;
  /** Time of its first row. */
  readonly started_unix: number;
  readonly episodes: readonly LabelledEpisode[];
  /** Why the database was of no use; null when it was. */
  readonly database_problem: string | null;
}

/** Cuts a session into episodes, judges how they ended and labels them. */
export async function labelSession(record: SessionRecord): Promise<LabelledSession> {
  const name = `${record.directory}#${record.session_id}`;
  const segments = segmentsOf(record.findings, record.presence, record.state_tick);
  const bus =
    record.findings.length === 0
      ? ({ ok: false, reason: 'no findings' } as const)
      : await readBus(record.database);
  const episodes = segments.flatMap((segment, index) => {
    const sightings = new Sightings(segment);
    return episodesOf(name, index, segment, sightings).map((episode) => ({
      episode,
      label: labelEpisode(episode, { segment, sightings, bus }),
      judged_unix: segment.clock.timeOf(episode.judged_at),
    }));
  });
  const times = [record.findings[0]?.timestamp, record.presence[0]?.timestamp].filter((time) =>
    Number.isFinite(time),
  );
  return {
    session_id: record.session_id,
    directory: record.directory,
    findings: record.findings.length,
    torn_lines: record.torn_lines,
    segments: segments.length,
    started_unix: Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY)),
    episodes,
    database_problem: bus.ok ? null : bus.reason,
  };
}
