import { defineRule } from '../rule.js';
import { aboutAgent } from '../shared/explain.js';

/** The Coordinator's own no-progress circuit breaker (spec 03 §12). */
export const conversationProgress = defineRule({
  name: 'conversation_progress',
  configSlot: 'conversation_progress',
  needs: [],
  config: {
    conversation_progress_enabled: {
      type: 'boolean',
      default: true,
      doc: "Relay the Coordinator's own no-progress alarm.",
    },
  },
  symptoms: {
    conversation_no_progress: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The Coordinator counted too many ticks without progress.',
      action:
        'An operator should look at the session; with little budget left, close out through the report.',
      explains: [
        { row: 20, explains: ['gain_plateau', 'no_levers_found'] },
        { row: 20, explains: ['agent_stall'], when: aboutAgent('orchestration') },
      ],
    },
  },
  evaluate({ context, config }) {
    const { conversation_progress: progress, shared_state: shared } = context;
    if (!config.conversation_progress_enabled || shared.closing_phase || shared.stop_reason !== '') {
      return { symptoms: [] };
    }
    if (progress?.severity !== 'high') return { symptoms: [] };
    const { ticks_without_progress: ticks, threshold, last_progress_tick: last } = progress;
    // The word alone is not enough: the figures must agree with it (spec 03 conversation_progress-1).
    if (threshold <= 0 || ticks < threshold) return { symptoms: [] };
    return {
      symptoms: [
        {
          name: 'conversation_no_progress',
          severity: 'high',
          summary: `No progress for ${ticks} ticks (threshold ${threshold}); last progress at tick ${last}`,
          evidence: { ticks_without_progress: ticks, threshold, last_progress_tick: last },
          subject: {},
          source: 'shared_state',
          suggestion: 'An operator should step in; with little budget left, close out through the report.',
        },
      ],
    };
  },
});
