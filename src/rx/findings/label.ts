import { type ActedOn, actedOn } from './acted-on.js';
import type { Bus, BusEvent } from './bus.js';
import { type Episode, silenceOf } from './episodes.js';
import { classOf, FAILURE_SYMPTOMS } from './families.js';
import type { Finding, Severity } from './finding.js';
import type { Segment } from './segments.js';
import type { Sightings } from './windows.js';

/** What an episode says of the action on it, or of leaving it alone (spec 06 F.10). */
export interface EpisodeLabel {
  /** The hard intent as `prune_branch sweep` or `delegate recover`; null for an alert alone. */
  readonly action: string | null;
  readonly acted_on: ActedOn | null;
  /** True with the action carried out, false without one, null when that is not known. */
  readonly treated: boolean | null;
  /** 1 when the symptom was gone after the window, 0 when it came back, null when that cannot be said. */
  readonly y: 0 | 1 | null;
  /** Why there is no label; null when there is one. */
  readonly missing: string | null;
  /** For a judged prune: y, and other work succeeded in the window. */
  readonly useful: boolean | null;
  /** The emission from which the window counts. */
  readonly from: Finding;
  readonly severity: Severity;
}

/** The record around an episode. */
export interface LabelContext {
  readonly segment: Segment;
  readonly sightings: Sightings;
  readonly bus: Bus;
}

/** Labels an episode from its first hard intent, or from its first emission at its highest severity. */
export function labelEpisode(episode: Episode, context: LabelContext): EpisodeLabel {
  const from = episode.acted ?? episode.emissions.find((one) => one.severity === episode.severity);
  if (from === undefined) throw new RangeError('an episode has at least one emission');
  const { hard } = from;
  const trace = hard === null ? null : actedOn(from, hard, context.bus);
  const treated = treatmentOf(trace);
  const base = {
    action:
      hard === null
        ? null
        : `${hard.intent_type} ${hard.intent_type === 'delegate' ? hard.action_name : hard.family}`,
    acted_on: trace,
    treated,
    from,
    severity: from.severity,
  };
  if (treated === null) {
    const missing =
      trace?.state === 'pending'
        ? 'the delegated task had not ended'
        : 'no trace of the action in the database';
    return { ...base, y: null, missing, useful: null };
  }
  const judged = judgeFrom(episode, from, trace, context);
  return { ...base, ...judged };
}

function treatmentOf(trace: ActedOn | null): boolean | null {
  if (trace === null || trace.state === 'denied' || trace.state === 'not_executed') return false;
  return trace.state === 'executed' || trace.state === 'assumed' ? true : null;
}

type Judged = Pick<EpisodeLabel, 'y' | 'missing' | 'useful'>;

const CENSORED = 'the session ended inside the window';

function judgeFrom(episode: Episode, from: Finding, trace: ActedOn | null, context: LabelContext): Judged {
  const { kind } = classOf(episode.symptom);
  if (kind === 'M') return unlabelled('a monotone symptom cannot cease');
  if (kind === 'O') return unlabelled('a one-shot symptom has no end to observe');
  const silence = silenceOf(from);
  const end = context.sightings.windowEnd(episode.key, from.tick, 2 * silence);
  const complete = context.segment.last_tick >= end;
  if (kind === 'G' && FAILURE_SYMPTOMS.has(episode.symptom) && context.bus.ok) {
    return judgeGrowth(episode, from, trace, end, complete, context);
  }
  const recurred =
    kind === 'R'
      ? newSubject(episode, from, end, context.segment)
      : reappears(episode, from, end, silence, context);
  if (recurred) return { y: 0, missing: null, useful: null };
  return complete ? { y: 1, missing: null, useful: null } : unlabelled(CENSORED);
}

/** A finding of the key in the window, or recorded presence after the silence, when an emission would have been due. */
function reappears(
  episode: Episode,
  from: Finding,
  end: number,
  silence: number,
  context: LabelContext,
): boolean {
  const emitted = context.segment.findings.some(
    (finding) => finding.key === episode.key && finding.tick > from.tick && finding.tick <= end,
  );
  return emitted || context.sightings.seen(episode.key, from.tick + silence - 1, end);
}

function newSubject(episode: Episode, from: Finding, end: number, segment: Segment): boolean {
  return segment.findings.some(
    (finding) =>
      finding.symptom === episode.symptom &&
      finding.key !== episode.key &&
      finding.tick > from.tick &&
      finding.tick <= end,
  );
}

/** The symptom looks back over 200 rows and keeps firing on old ones, so new failed results of the family decide. */
function judgeGrowth(
  episode: Episode,
  from: Finding,
  trace: ActedOn | null,
  end: number,
  complete: boolean,
  { segment, bus }: LabelContext,
): Judged {
  const until = segment.clock.timeOf(end);
  if (until === null || !bus.ok) return unlabelled('the times of the ticks are not known');
  const family = from.hard?.intent_type === 'prune_branch' ? from.hard.family : from.action_family;
  const results = bus.events.filter((event) => isResultIn(event, from, trace, until));
  if (results.some((event) => event.state === 'failed' && event.kind === family)) {
    return { y: 0, missing: null, useful: episode.acted === null ? null : false };
  }
  if (!complete) return unlabelled(CENSORED);
  const otherWork = results.some((event) => event.state === 'succeeded' && event.kind !== family);
  return { y: 1, missing: null, useful: episode.acted === null ? null : otherWork };
}

function isResultIn(event: BusEvent, from: Finding, trace: ActedOn | null, until: number): boolean {
  if (event.topic !== 'delegated_result' || event.timestamp > until) return false;
  return trace?.seq == null ? event.timestamp > from.timestamp : event.seq > trace.seq;
}

function unlabelled(missing: string): Judged {
  return { y: null, missing, useful: null };
}
