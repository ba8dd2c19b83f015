import { integer, type JsonObject, objectOr } from '../../foreign/json.js';
import { defineRule } from '../rule.js';
import { aboutAgent } from '../shared/explain.js';
import { logNumberIn } from '../shared/log-patterns.js';
import type { Symptom } from '../symptom.js';
import { kbOutage } from './critic_health/kb-outage.js';
import { runtimeStuck } from './critic_health/runtime-stuck.js';
import { verdictStreak } from './critic_health/verdict-streak.js';

/** When the reviewing agent answers blindly, not at all, or leaks (spec 04 §6). */
export const criticHealth = defineRule({
  name: 'critic_health',
  configSlot: 'critic_health',
  needs: ['critic'],
  symptoms: {
    critic_kb_outage: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The critic reviews without its knowledge base, which it cannot reach.',
      action: 'Check the knowledge base service, or use the in-memory one or the mock critic.',
    },
    critic_unavailable_streak: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The newest verdicts are fallbacks: nobody has reviewed the proposals.',
      action: 'Use the mock critic and look into the newest turn’s judge bundle for the missing context.',
      needs: ['events', 'critic'],
    },
    critic_prune_stuck: {
      severities: ['medium'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The critic’s work directories are not cleaned up and fill the disk.',
      action: 'Watch the disk and delete old turn directories between sessions.',
    },
    critic_runtime_stuck: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'event',
      meaning: 'The critic’s own runtime times out, and every tick waits for it.',
      action: 'Use the mock critic and check the completion endpoint.',
      needs: ['logs'],
      explains: [
        { row: 13, explains: ['critic_unavailable_streak'] },
        { row: 13, explains: ['agent_stall'], when: aboutAgent('critic') },
        { row: 13, explains: ['log_error_pattern:own'], when: logNumberIn(1) },
      ],
    },
  },
  config: {
    critic_health_min_outage_judges: {
      type: 'integer',
      unit: 'turns',
      default: 3,
      doc: 'Turns in a row without the knowledge base before it is reported.',
    },
    critic_health_min_unavailable_verdicts: {
      type: 'integer',
      unit: 'verdicts',
      default: 3,
      doc: 'Fallback verdicts in a row before they are reported.',
    },
    critic_health_max_workdir_count: {
      type: 'integer',
      unit: 'directories',
      default: 100,
      doc: 'More work directories than this are a leak.',
    },
    critic_health_max_turn_age_s: {
      type: 'number',
      unit: 's',
      default: 7200,
      doc: 'Older turns of the critic say nothing about now.',
    },
  },
  evaluate({ context, snapshot, bus, config }) {
    const critic = objectOr(snapshot.local_critic_health);
    const age = { maxTurnAgeS: config.critic_health_max_turn_age_s, nowUnix: context.now_unix };
    const found = [
      kbOutage(critic, { minTurns: config.critic_health_min_outage_judges, ...age }),
      verdictStreak(bus.eventsFirst, critic, {
        minVerdicts: config.critic_health_min_unavailable_verdicts,
        ...age,
      }),
      pruneStuck(critic, config.critic_health_max_workdir_count),
      runtimeStuck(snapshot.local_log_errors),
    ];
    return { symptoms: found.filter((symptom) => symptom !== undefined) };
  },
});

function pruneStuck(critic: JsonObject, maxCount: number): Symptom | undefined {
  const count = integer(critic['workdir_count']);
  if (count === undefined || count <= maxCount) return undefined;
  return {
    name: 'critic_prune_stuck',
    severity: 'medium',
    subject: {},
    source: 'local',
    summary: `The critic keeps ${count} work directories (at most ${maxCount} are expected): they leak disk space`,
    suggestion: 'Watch the disk and delete old turn directories between sessions.',
    evidence: { workdir_count: count, threshold: maxCount, workdir_root: critic['workdir_root'] ?? null },
  };
}
