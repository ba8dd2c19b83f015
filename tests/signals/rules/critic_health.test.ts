import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { criticHealth } from '../../../src/signals/rules/critic_health.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

const unreachable = 'kb_unreachable';

/** Turns of the critic, newest first. */
function turns(...reasons: readonly Json[]): JsonObject[] {
  return reasons.map((reason, index) => ({
    turn_dir: `00000${9 - index}`,
    kb_read_skipped_reason: reason,
    mtime: 9990 - index * 40,
  }));
}

function critic(slot: JsonObject): Sight {
  return { snapshot: { local_critic_health: { workdir_root: '/s/critic-workdir', ...slot } } };
}

function judges(...reasons: readonly Json[]): Sight {
  return critic({ recent_judges: turns(...reasons) });
}

/** Verdict rows, oldest first. */
function verdicts(...payloads: readonly Json[]): Json[] {
  return payloads.map((payload, index) => ({
    id: index + 1,
    agent: 'critic',
    topic: 'review_verdict',
    payload,
  }));
}

function fallback(target: string): JsonObject {
  return { verdict: 'needs_review', source: 'critic_unavailable', target_proposal_msg_id: target };
}

function onBus(...payloads: readonly Json[]): Sight {
  return { snapshot: { coordinator_events: verdicts(...payloads) } };
}

function logs(...entries: readonly Json[]): Sight {
  return { snapshot: { local_log_errors: entries } };
}

const real = { verdict: 'approve', source: 'critic' };
const rendered = { verdict: 'approve', reasoning: 'looks good' };

testRule(criticHealth, {
  valid: [
    { why: 'nothing was seen', snapshot: { local_critic_health: [1] } },
    { why: 'two turns without the knowledge base', ...judges(unreachable, unreachable) },
    { why: 'the newest turn read it again', ...judges(null, unreachable, unreachable, unreachable) },
    { why: 'a blank reason means that it was read', ...judges(unreachable, unreachable, ' ', unreachable) },
    { why: 'the reason is an exact word', ...judges(unreachable, unreachable, 'KB_UNREACHABLE') },
    {
      why: 'an element that is no turn ends the count',
      ...critic({ recent_judges: [...turns(unreachable, unreachable), 'x', ...turns(unreachable)] }),
    },
    {
      why: 'an idle critic: its last turns are hours old',
      ...critic({
        recent_judges: turns(unreachable, unreachable, unreachable).map((turn) => ({ ...turn, mtime: 2799 })),
      }),
    },
    { why: 'two fallbacks', ...onBus(fallback('a'), fallback('b')) },
    {
      why: 'the newest verdict is real, whatever came before',
      ...onBus(fallback('a'), fallback('b'), fallback('c'), real),
    },
    {
      why: 'a real verdict in between ends the walk',
      ...onBus(fallback('a'), real, fallback('b'), fallback('c')),
    },
    {
      why: 'the source is an exact word',
      ...onBus(...['A', 'b', 'c'].map((t) => ({ ...fallback(t), source: 'Critic_Unavailable' }))),
    },
    { why: 'verdicts that name no source prove nothing', ...onBus(rendered, rendered, rendered, rendered) },
    {
      why: 'no verdict names a source, and the newest turns were real',
      snapshot: {
        coordinator_events: verdicts(rendered, rendered, rendered),
        local_critic_health: {
          recent_judges: [
            { emit_source: 'critic' },
            ...Array.from({ length: 4 }, () => ({ emit_source: 'critic_unavailable' })),
          ],
        },
      },
    },
    {
      why: 'what the turns emitted does not count when a verdict speaks for itself',
      snapshot: {
        coordinator_events: verdicts(real),
        local_critic_health: {
          recent_judges: Array.from({ length: 4 }, () => ({ emit_source: 'critic_unavailable' })),
        },
      },
    },
    {
      why: 'an idle critic: its fallbacks are hours old',
      ...critic({
        recent_judges: Array.from({ length: 4 }, () => ({ emit_source: 'critic_unavailable', mtime: 2799 })),
      }),
    },
    { why: 'directories at the limit', ...critic({ workdir_count: 100 }) },
    { why: 'a count as text', ...critic({ workdir_count: '200' }) },
    {
      why: 'another component times out',
      ...logs({ line: 'hyperloom.agents.orchestration.runtime.cli step timed out after 30s' }),
    },
    {
      why: 'a word that only contains the critic',
      ...logs({ line: 'acritical runtime.cli timed out after 30s', pattern: 'x' }),
    },
    {
      why: 'an old line that is still listed',
      ...logs({ line: 'critic.runtime.cli judge timed out after 30s', new: false }),
    },
    {
      why: 'entries without a line',
      ...logs(null, 'critic runtime.cli timed out', { line: null }, { pattern: 'p' }),
    },
  ],
  invalid: [
    {
      why: 'three turns in a row without the knowledge base',
      ...judges(unreachable, unreachable, unreachable),
      symptoms: [
        {
          name: 'critic_kb_outage',
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: {
            consecutive_judges: 3,
            threshold: 3,
            recent_turn_dirs: ['000009', '000008', '000007'],
            workdir_root: '/s/critic-workdir',
          },
          summaryMentions: ['3 turns', 'limit 3', 'without recall'],
          suggestionMentions: ['mock critic'],
        },
      ],
    },
    {
      why: 'a long outage lists its five newest turns',
      ...judges(...Array.from({ length: 7 }, () => unreachable)),
      symptoms: [
        {
          name: 'critic_kb_outage',
          evidenceWith: {
            consecutive_judges: 7,
            recent_turn_dirs: ['000009', '000008', '000007', '000006', '000005'],
          },
        },
      ],
    },
    {
      why: 'turns that skipped it for another reason say nothing about it',
      ...judges(unreachable, 'no_proposals', unreachable, 'no_proposals', unreachable),
      symptoms: [{ name: 'critic_kb_outage', evidenceWith: { consecutive_judges: 3 } }],
    },
    {
      why: 'a turn of two hours ago is just recent enough',
      ...critic({
        recent_judges: turns(unreachable, unreachable, unreachable).map((turn) => ({ ...turn, mtime: 2800 })),
      }),
      symptoms: ['critic_kb_outage'],
    },
    {
      why: 'turns without names and times',
      snapshot: {
        local_critic_health: {
          recent_judges: [null, 0, 7].map((turn_dir) => ({
            turn_dir,
            kb_read_skipped_reason: unreachable,
          })),
        },
      },
      symptoms: [
        { name: 'critic_kb_outage', evidenceWith: { recent_turn_dirs: ['', '', '7'], workdir_root: null } },
      ],
    },
    {
      why: 'three fallbacks in a row',
      ...onBus(real, fallback('a'), fallback('b'), fallback('c')),
      symptoms: [
        {
          name: 'critic_unavailable_streak',
          severity: 'high',
          subject: {},
          source: 'coordinator_events',
          evidence: { consecutive_verdicts: 3, threshold: 3, sample_targets: ['c', 'b', 'a'] },
          summaryMentions: ['3 verdicts', 'limit 3', 'fallback'],
        },
      ],
    },
    {
      why: 'a long streak shows its five newest targets',
      ...onBus(...['a', 'b', 'c', 'd', 'e', 'f'].map(fallback)),
      symptoms: [
        {
          name: 'critic_unavailable_streak',
          evidenceWith: { consecutive_verdicts: 6, sample_targets: ['f', 'e', 'd', 'c', 'b'] },
        },
      ],
    },
    {
      why: 'the inbox continues the list',
      snapshot: { coordinator_events: verdicts(fallback('a'), fallback('b')) },
      context: { inbox: [{ seq: 9, topic: 'review_verdict', payload: fallback('i1') }] },
      symptoms: [{ name: 'critic_unavailable_streak', evidenceWith: { sample_targets: ['i1', 'b', 'a'] } }],
    },
    {
      why: 'rendered verdicts in between do not end it',
      ...onBus(fallback('a'), rendered, fallback('b'), rendered, {}, fallback(''), rendered),
      symptoms: [
        {
          name: 'critic_unavailable_streak',
          evidenceWith: { consecutive_verdicts: 3, sample_targets: ['b', 'a'] },
        },
      ],
    },
    {
      why: 'no verdict names a source, but the newest turns emitted fallbacks',
      snapshot: {
        coordinator_events: verdicts(rendered, rendered),
        local_critic_health: {
          recent_judges: [
            { emit_source: 'critic_unavailable', kb_read_skipped_reason: null },
            { emit_source: null },
            { emit_source: 'critic_unavailable' },
            { emit_source: 'critic_unavailable' },
            { emit_source: 'critic' },
            { emit_source: 'critic_unavailable' },
          ],
        },
      },
      symptoms: [
        {
          name: 'critic_unavailable_streak',
          evidenceWith: { consecutive_verdicts: 3, sample_targets: [] },
        },
      ],
    },
    {
      why: 'one directory over the limit',
      ...critic({ workdir_count: 101 }),
      symptoms: [
        {
          name: 'critic_prune_stuck',
          severity: 'medium',
          evidence: { workdir_count: 101, threshold: 100, workdir_root: '/s/critic-workdir' },
          summaryMentions: ['101', '100'],
        },
      ],
    },
    {
      why: 'the critic’s own runtime times out, in any letter case',
      ...logs(
        { line: 'WARN hyperloom.agents.Critic.Runtime.CLI judge Timed Out after 30s', new: true },
        { line: `timed out: critic runtime.cli ${'x'.repeat(300)}` },
        { line: 'the CRITIC hung: runtime.cli timed out' },
        { line: 'critic: runtime.cli timed out once more' },
      ),
      symptoms: [
        {
          name: 'critic_runtime_stuck',
          severity: 'high',
          subject: {},
          evidenceWith: {
            hit_count: 4,
            samples: [
              'WARN hyperloom.agents.Critic.Runtime.CLI judge Timed Out after 30s',
              `timed out: critic runtime.cli ${'x'.repeat(170)}`,
              'the CRITIC hung: runtime.cli timed out',
            ],
          },
        },
      ],
    },
    {
      why: 'all four at once, in this order',
      snapshot: {
        local_critic_health: {
          recent_judges: turns(unreachable, unreachable, unreachable),
          workdir_count: 500,
        },
        coordinator_events: verdicts(fallback('a'), fallback('b'), fallback('c')),
        local_log_errors: [{ line: 'critic runtime.cli timed out' }],
      },
      symptoms: [
        'critic_kb_outage',
        'critic_unavailable_streak',
        'critic_prune_stuck',
        'critic_runtime_stuck',
      ],
    },
  ],
});
