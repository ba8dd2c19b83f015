import { stall } from '../../../src/signals/rules/stall.js';
import { testRule } from '../../support/rule-tester.js';

const NOW = 10_000;
const events = (...rows: object[]) => ({
  coordinator_events: rows.map((row) => ({ topic: 'event', payload: {}, ...row })),
});
const says = (agent: string, ts: unknown) => ({ agent, ts });
const work = (agent: string, entry: object) => ({ local_task_progress: { by_agent: { [agent]: entry } } });
const started = (started_unix: number | null) => ({
  local_state_integrity: { coordinator: { started_unix } },
});
const proposal = (ts: number, msg_id = 'p1') => ({ agent: 'orchestration', topic: 'proposal', ts, msg_id });

const unreported = (started_unix: number, last_progress_unix: number | null = null) => ({
  local_task_progress: {
    running_kinds: ['baseline'],
    tasks: [{ kind: 'baseline', started_unix, last_progress_unix }],
  },
});

testRule(stall, {
  valid: [
    {
      why: 'the tick loop waits for an action that reports nothing',
      snapshot: { ...events(says('orchestration', 5000)), ...unreported(5030) },
    },
    { why: 'an agent that never spoke has no silence: the first tick has no history' },
    { why: 'an agent just within the timeout is not stalled', snapshot: events(says('critic', 9700.001)) },
    {
      why: 'only orchestration and critic owe a sign of life',
      snapshot: events(says('robustness', 1), says('kernel_agent', 1), says('user', 1)),
    },
    {
      why: 'any newer event counts, of any topic and from anywhere',
      context: { inbox: [{ from_agent: 'critic', payload: { ts: 9600 } }] },
      snapshot: events(says('critic', 9990)),
    },
    {
      why: 'unreadable stamps are no history',
      snapshot: events(
        says('critic', true),
        says('critic', 'yesterday'),
        { agent: 'critic' },
        says('critic', 0),
      ),
    },
    { why: 'a stamp in the near future is a sign of life', snapshot: events(says('critic', 10_299)) },
    { why: 'a stamp far in the future is unusable', snapshot: events(says('critic', 99_999)) },
    { why: 'a negative stamp is unusable', snapshot: events(says('critic', -5)) },
    {
      why: 'closing sessions are silent by design',
      context: { shared_state: { closing_phase: true } },
      snapshot: events(says('critic', 1)),
    },
    {
      why: 'a stopped session has nobody left to accuse',
      context: { shared_state: { stop_reason: 'target reached' } },
      snapshot: events(says('critic', 1)),
    },
    {
      why: 'after a resume the silence counts from the start of the Coordinator',
      snapshot: { ...events(says('critic', 1000)), ...started(9800) },
    },
    {
      why: 'a critic that nothing waits for has nothing to do',
      snapshot: events({ ...says('critic', 1000), msg_id: 'c1' }, says('orchestration', 9990)),
    },
    {
      why: 'a proposal that was answered does not wait',
      snapshot: events(
        { ...says('critic', 1000), msg_id: 'c1' },
        { ...proposal(2000), agent: 'specialist' },
        { agent: 'human', topic: 'review_verdict', ts: 3000, payload: { target_proposal_msg_id: 'p1' } },
      ),
    },
    {
      why: 'a proposal answered by in_reply_to does not wait either',
      snapshot: events(
        { ...says('critic', 1000), msg_id: 'c1' },
        { ...proposal(2000), agent: 'specialist' },
        { agent: 'human', topic: 'review_verdict', ts: 3000, in_reply_to: 'p1' },
      ),
    },
    {
      why: 'a proposal younger than the timeout does not wait yet',
      snapshot: events({ ...says('critic', 1000), msg_id: 'c1' }, { ...proposal(9701), agent: 'specialist' }),
    },
    {
      why: 'a proposal older than the last word of the critic was seen by it',
      snapshot: events({ ...proposal(900), agent: 'specialist' }, { ...says('critic', 1000), msg_id: 'c1' }),
    },
    {
      why: 'nobody is accused while the running tasks could not be looked up',
      snapshot: {
        ...events(says('critic', 1000)),
        collectors: { tasks: { status: 'timeout', reason: '', ms: 0, detail: '' } },
      },
      undecided: ['agent_quiet_work_progressing', 'agent_stall'],
    },
    {
      why: 'rows and containers of odd shapes are skipped',
      snapshot: {
        coordinator_events: ['x', null, 7, { agent: ['critic'], ts: 1 }],
        local_task_progress: 'x',
      },
    },
  ],
  invalid: [
    {
      why: 'a task that began long before the last word excuses no silence after it',
      snapshot: { ...events(says('orchestration', 5000)), ...unreported(4000) },
      symptoms: ['agent_stall'],
    },
    {
      why: 'no action may run for ever',
      snapshot: { ...events(says('orchestration', 2100)), ...unreported(2150) },
      symptoms: ['agent_stall'],
    },
    {
      why: 'exactly at the timeout',
      snapshot: events(says('critic', 9700)),
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'medium',
          subject: { agent: 'critic' },
          source: 'local',
          evidence: {
            agent: 'critic',
            idle_seconds: 300,
            last_seen_unix: 9700,
            threshold_s: 300,
            last_seen_from: 'events',
          },
          summaryMentions: ['critic', '300 s'],
          suggestionMentions: ['strategy change'],
        },
      ],
    },
    {
      why: 'just below the high limit, seconds truncated',
      snapshot: events(says('critic', 9100.1)),
      symptoms: [{ name: 'agent_stall', severity: 'medium', evidenceWith: { idle_seconds: 899 } }],
    },
    {
      why: 'at the high limit',
      snapshot: events(says('critic', 9100)),
      symptoms: [{ name: 'agent_stall', severity: 'high', evidenceWith: { idle_seconds: 900 } }],
    },
    {
      why: 'seen in the inbox alone',
      context: { inbox: [{ from_agent: 'critic', payload: { ts: 9600 } }] },
      symptoms: [{ name: 'agent_stall', severity: 'medium', source: 'inbox' }],
    },
    {
      why: 'an unrelated event makes the source local',
      context: { inbox: [{ from_agent: 'critic', payload: { ts: 9600 } }] },
      snapshot: events(says('user', 9999)),
      symptoms: [{ name: 'agent_stall', source: 'local', evidenceWith: { last_seen_from: 'inbox' } }],
    },
    {
      why: 'zero is a valid stamp in the inbox',
      context: { inbox: [{ from_agent: 'critic', payload: { ts: 0 } }] },
      symptoms: [{ name: 'agent_stall', severity: 'high', evidenceWith: { idle_seconds: 10_000 } }],
    },
    {
      why: 'timestamp stands in for a missing ts',
      snapshot: events({ agent: ' critic ', ts: 0, timestamp: 9500 }),
      symptoms: [{ name: 'agent_stall', evidenceWith: { idle_seconds: 500 } }],
    },
    {
      why: 'a stamp without offset is UTC',
      snapshot: events(says('critic', '1970-01-01T02:00:00')),
      symptoms: [{ name: 'agent_stall', evidenceWith: { last_seen_unix: 7200 } }],
    },
    {
      why: 'stamps in milliseconds are read as such (stall-2)',
      context: { now_unix: 1_795_000_000 },
      snapshot: events(says('critic', 1_794_999_000_000)),
      symptoms: [{ name: 'agent_stall', evidenceWith: { idle_seconds: 1000 } }],
    },
    {
      why: 'a worse stall than 200 events is found in the table (stall-1)',
      snapshot: { ...events(says('user', 9999)), coordinator_last_seen: { critic: 2000 } },
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'high',
          evidenceWith: { last_seen_unix: 2000, last_seen_from: 'table' },
        },
      ],
    },
    {
      why: 'silence since the resume is judged from there (stall-3)',
      snapshot: { ...events(says('critic', 1000)), ...started(9500) },
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'medium',
          evidenceWith: { idle_seconds: 500, last_seen_unix: 1000, counted_from_unix: 9500 },
        },
      ],
    },
    {
      why: 'with the start unknown a resume cannot be excluded, so it is never urgent (stall-3)',
      snapshot: { ...events(says('critic', 1000)), ...started(null) },
      symptoms: [{ name: 'agent_stall', severity: 'medium', evidenceWith: { idle_seconds: 9000 } }],
    },
    {
      why: 'a waiting proposal accuses the critic, by its own age (stall-5)',
      snapshot: events(
        { ...says('critic', 1000), msg_id: 'c1' },
        proposal(9500),
        says('orchestration', 9990),
      ),
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'medium',
          subject: { agent: 'critic' },
          evidenceWith: { idle_seconds: 9000, waiting_proposal_s: 500, waiting_proposals: 1 },
        },
      ],
    },
    {
      why: 'a proposal that waits for long makes it urgent (stall-5)',
      snapshot: events(
        { ...says('critic', 1000), msg_id: 'c1' },
        proposal(9000),
        proposal(9100, 'p2'),
        says('orchestration', 9990),
      ),
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'high',
          evidenceWith: { waiting_proposal_s: 1000, waiting_proposals: 2 },
        },
      ],
    },
    {
      why: 'message ids do not excuse orchestration (stall-5)',
      snapshot: events({ ...says('orchestration', 1000), msg_id: 'o1' }),
      symptoms: [{ name: 'agent_stall', severity: 'high', subject: { agent: 'orchestration' } }],
    },
    {
      why: 'own work that reports withholds the accusation',
      snapshot: {
        ...events(says('orchestration', 9000)),
        ...work('orchestration', { last_progress_unix: 9950, task: 'explore' }),
      },
      symptoms: [
        {
          name: 'agent_quiet_work_progressing',
          severity: 'low',
          evidenceWith: {
            in_flight_work_idle_seconds: 50,
            in_flight_work: 'explore',
            accusation_withheld: true,
            withheld_while_work_reports_within_s: 300,
          },
          summaryMentions: ['orchestration', '1000 s', 'explore', '50 s', 'withheld'],
        },
      ],
    },
    {
      why: 'work that fell silent too no longer excuses',
      snapshot: {
        ...events(says('orchestration', 9000)),
        ...work('orchestration', { last_progress_unix: 9700, task: 'explore' }),
      },
      symptoms: [
        {
          name: 'agent_stall',
          severity: 'high',
          evidenceWith: { in_flight_work_idle_seconds: 300 },
          evidenceWithout: ['accusation_withheld', 'withheld_while_work_reports_within_s'],
        },
      ],
    },
    {
      why: 'a sibling that has been quiet for long is named',
      snapshot: {
        ...events(says('orchestration', 9000)),
        ...work('orchestration', {
          last_progress_unix: 9950,
          task: 'explore',
          oldest_progress_unix: 9700,
          oldest_task: 'baseline',
        }),
      },
      symptoms: [
        {
          name: 'agent_quiet_work_progressing',
          evidenceWith: { quiet_in_flight_work: 'baseline', quiet_in_flight_work_idle_seconds: 300 },
        },
      ],
    },
    {
      why: 'a sibling just within the timeout is not named',
      snapshot: {
        ...events(says('orchestration', 9000)),
        ...work('orchestration', { last_progress_unix: 9950, oldest_progress_unix: 9701, oldest_task: 'b' }),
      },
      symptoms: [{ name: 'agent_quiet_work_progressing', evidenceWithout: ['quiet_in_flight_work'] }],
    },
    {
      why: 'the oldest work is no sibling of itself',
      snapshot: {
        ...events(says('orchestration', 9000)),
        ...work('orchestration', { last_progress_unix: 9600, oldest_progress_unix: 9600 }),
      },
      symptoms: [{ name: 'agent_stall', evidenceWithout: ['quiet_in_flight_work'] }],
    },
    {
      why: "another agent's work excuses nobody, nor does a bare number",
      snapshot: {
        ...events(says('orchestration', 9000)),
        local_task_progress: {
          running: 3,
          by_agent: { critic: { last_progress_unix: NOW }, orchestration: 7 },
        },
      },
      symptoms: [{ name: 'agent_stall', severity: 'high', evidenceWithout: ['in_flight_work'] }],
    },
    {
      why: 'one symptom per silent agent',
      snapshot: events(says('critic', 9600), says('orchestration', 8000)),
      symptoms: [
        { name: 'agent_stall', severity: 'high', subject: { agent: 'orchestration' } },
        { name: 'agent_stall', severity: 'medium', subject: { agent: 'critic' } },
      ],
    },
  ],
});
