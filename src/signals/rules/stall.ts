import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';
import { type JsonObject, listOr } from '../../foreign/json.js';
import { truncate } from '../../foreign/round.js';
import { defineRule, type RuleInput } from '../rule.js';
import { isUnanswered } from '../shared/undecided.js';
import type { Severity, Symptom } from '../symptom.js';
import { coordinatorStart, lastSeenOf } from './stall/last-seen.js';
import { isWaitingForWork, type OwnWork, ownWork } from './stall/own-work.js';
import { type WaitingProposals, waitingProposals } from './stall/waiting-proposals.js';

/** The agents with a turn of their own; nobody else owes a sign of life (spec 03 §5). */
const TRACKED_AGENTS = ['orchestration', 'critic'] as const;

const fields = {
  agent_stall_timeout_s: {
    type: 'number',
    default: 300,
    unit: 's',
    doc: 'Silence of an agent from which it counts as stalled.',
  },
  agent_stall_high_after_s: {
    type: 'number',
    default: 900,
    unit: 's',
    doc: 'Silence of an agent from which the stall is urgent.',
  },
  agent_stall_unreported_work_s: {
    type: 'number',
    default: 7800,
    unit: 's',
    doc: 'So long a task that reports nothing excuses the silence since its start: the tick loop waits for it; 0 = off.',
  },
} as const satisfies ConfigFields;

type StallInput = RuleInput<typeof fields, JsonObject>;

/** How long an agent has been silent, and what is known about the silence. */
interface Silence {
  readonly agent: string;
  readonly idleS: number;
  readonly evidence: JsonObject;
  /** Age that decides between medium and high, s. */
  readonly severityAgeS: number;
  /** True when a resume of the Coordinator cannot be excluded. */
  readonly mayBeResume: boolean;
}

/** Agents that have been silent for too long (spec 03 §5). */
export const stall = defineRule({
  name: 'stall',
  configSlot: 'stall',
  needs: ['events'],
  config: fields,
  symptoms: {
    agent_stall: {
      severities: ['medium', 'high'],
      subjectKeys: ['agent'],
      nature: 'state',
      meaning: 'An agent has been silent for too long and none of its work reports progress.',
      action: 'Raise a strategy change should the silence continue.',
    },
    agent_quiet_work_progressing: {
      severities: ['low'],
      subjectKeys: ['agent'],
      nature: 'state',
      meaning: 'An agent is silent, but the work it dispatched reports progress.',
      action: 'Nothing, as long as its work reports.',
    },
  },
  evaluate(input) {
    const { context, snapshot } = input;
    const { closing_phase: closing, stop_reason: stopReason } = context.shared_state;
    if (closing || stopReason !== '') return { symptoms: [] };
    const silences = TRACKED_AGENTS.map((agent) => silenceOf(agent, input)).filter((s) => s !== undefined);
    if (silences.length > 0 && isUnanswered(['tasks'], snapshot)) {
      // Work in flight may excuse the silence, and nobody could look.
      return { symptoms: [], undecided: ['agent_stall', 'agent_quiet_work_progressing'] };
    }
    const source = listOr(snapshot.coordinator_events).length > 0 ? 'local' : 'inbox';
    return { symptoms: silences.map((silence) => judge(silence, input, source)) };
  },
});

function silenceOf(agent: string, { context, snapshot, bus, config }: StallInput): Silence | undefined {
  const now = context.now_unix;
  const timeoutS = config.agent_stall_timeout_s;
  const lastSeen = lastSeenOf(agent, context, snapshot);
  if (!lastSeen) return undefined;

  const started = coordinatorStart(snapshot, now);
  const countedFrom = Math.max(lastSeen.unix, started ?? 0);
  const idleS = Math.max(0, now - countedFrom);
  if (idleS < timeoutS) return undefined;

  const waiting =
    agent === 'critic'
      ? waitingProposals(snapshot, bus.eventsFirst, lastSeen.unix, now, timeoutS)
      : undefined;
  if (waiting?.count === 0) return undefined;
  if (isWaitingForWork(agent, snapshot, lastSeen.unix, now, config.agent_stall_unreported_work_s))
    return undefined;
  return {
    agent,
    idleS,
    severityAgeS: waiting ? Math.min(idleS, waiting.oldestAgeS) : idleS,
    mayBeResume: started === null,
    evidence: {
      agent,
      idle_seconds: truncate(idleS),
      last_seen_unix: truncate(lastSeen.unix),
      threshold_s: truncate(timeoutS),
      last_seen_from: lastSeen.from,
      ...(typeof started === 'number' && { counted_from_unix: truncate(countedFrom) }),
      ...waitingEvidence(waiting),
    },
  };
}

function waitingEvidence(waiting: WaitingProposals | undefined): JsonObject {
  if (!waiting) return {};
  return { waiting_proposal_s: truncate(waiting.oldestAgeS), waiting_proposals: waiting.count };
}

function judge(
  silence: Silence,
  { context, snapshot, config }: StallInput,
  source: Symptom['source'],
): Symptom {
  const timeoutS = config.agent_stall_timeout_s;
  const work = ownWork(silence.agent, snapshot, context.now_unix, timeoutS);
  const evidence = { ...silence.evidence, ...work?.evidence };
  if (work && work.idleS < timeoutS) return quiet(silence, work, evidence, timeoutS, source);
  return {
    name: 'agent_stall',
    severity: severityOf(silence, config),
    summary:
      `${silence.agent} has been silent for ${truncate(silence.idleS)} s ` +
      `(threshold ${truncate(timeoutS)} s)`,
    evidence,
    subject: { agent: silence.agent },
    source,
    suggestion: `Raise a strategy change should the silence of ${silence.agent} continue.`,
  };
}

function severityOf(silence: Silence, config: ConfigValues<typeof fields>): Severity {
  if (silence.mayBeResume) return 'medium';
  return silence.severityAgeS >= config.agent_stall_high_after_s ? 'high' : 'medium';
}

function quiet(
  silence: Silence,
  work: OwnWork,
  evidence: JsonObject,
  timeoutS: number,
  source: Symptom['source'],
): Symptom {
  const task = work.task || '(unnamed task)';
  return {
    name: 'agent_quiet_work_progressing',
    severity: 'low',
    summary:
      `${silence.agent} has been silent for ${truncate(silence.idleS)} s, but its ${task} reported ` +
      `${truncate(work.idleS)} s ago: the accusation is withheld as long as it keeps reporting`,
    evidence: {
      ...evidence,
      accusation_withheld: true,
      withheld_while_work_reports_within_s: truncate(timeoutS),
    },
    subject: { agent: silence.agent },
    source,
    suggestion: 'Nothing to do as long as its work reports.',
  };
}
