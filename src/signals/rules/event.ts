import { defineRule } from '../rule.js';
import { eventFields } from './event/config.js';
import { delegatedFailures } from './event/delegated-failure.js';
import { idempotencyReplay } from './event/idempotency-replay.js';
import { policyDenied } from './event/policy-denied.js';
import { recoverUnsuccessful } from './event/recover.js';

/** Patterns in the traffic of the bus (spec 03 §7). */
export const event = defineRule({
  name: 'event',
  configSlot: 'event',
  needs: ['events'],
  config: eventFields,
  symptoms: {
    repeated_policy_denied: {
      severities: ['medium'],
      subjectKeys: ['agent'],
      nature: 'event',
      meaning: 'The policy denied intents of one agent again and again.',
      action: 'Change the strategy, or review the action catalogue and the role configuration of the agent.',
    },
    repeated_failure: {
      severities: ['medium', 'high'],
      subjectKeys: ['family'],
      nature: 'event',
      meaning: 'Actions of one family failed several times and did not succeed since.',
      action: 'Prune the family.',
    },
    recover_unsuccessful: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'event',
      meaning: 'The last recover ended in review, so GPU memory is still unhealthy.',
      action: 'Propose the final report at the last validated gain.',
      explains: [
        { row: 4, explains: ['gpu_memory_leaked', 'local_server_unreachable'], destructive: 'dropped' },
        {
          row: 4,
          explains: ['repeated_failure'],
          when: (_explainer, explained) => explained.subject['family'] === 'recover',
          destructive: 'dropped',
        },
      ],
    },
    idempotency_replay: {
      severities: ['medium'],
      subjectKeys: ['action_name'],
      nature: 'event',
      meaning: 'One payload was proposed under several idempotency keys within one tick.',
      action: 'Review the prompt of the proposer, or freeze its key generation.',
      needs: [],
    },
  },
  evaluate({ context, bus, config }) {
    const rows = bus.inboxFirst;
    const recover = recoverUnsuccessful(rows, config.recover_lookback_events);
    return {
      symptoms: [
        ...policyDenied(rows, {
          threshold: config.policy_denied_threshold,
          windowS: config.policy_denied_window_s,
          nowUnix: context.now_unix,
        }),
        ...delegatedFailures(rows, config, context.now_unix),
        ...(recover ? [recover] : []),
        ...idempotencyReplay(context.inbox, config.idempotency_replay_threshold),
      ],
    };
  },
});
