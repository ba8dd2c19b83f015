import { conversationProgress } from '../../../src/signals/rules/conversation_progress.js';
import { testRule } from '../../support/rule-tester.js';

const line = (
  ticks_without_progress: number,
  threshold: number,
  severity = 'high',
  shared_state: object = {},
) => ({
  context: {
    shared_state,
    conversation_progress: { ticks_without_progress, threshold, severity, last_progress_tick: 7 },
  },
});

testRule(conversationProgress, {
  valid: [
    { why: 'the Coordinator says nothing about progress' },
    { why: "the host's own word is ok, whatever the figures", ...line(50, 12, 'ok') },
    { why: 'medium is not the alarm', ...line(15, 12, 'medium') },
    {
      why: 'the parser writes the severity in lower case; anything else is foreign',
      ...line(15, 12, 'HIGH'),
    },
    { why: 'the word without the figures is not believed (conversation_progress-1)', ...line(0, 12) },
    { why: 'one tick short of the threshold (conversation_progress-1)', ...line(11, 12) },
    { why: 'a threshold of 0 is none (conversation_progress-1)', ...line(5, 0) },
    { why: 'a closing session need not progress', ...line(15, 12, 'high', { closing_phase: true }) },
    { why: 'a stopped session need not progress', ...line(15, 12, 'high', { stop_reason: 'x' }) },
    { why: 'the relay is switched off', ...line(15, 12), config: { conversation_progress_enabled: false } },
  ],
  invalid: [
    {
      why: 'word and figures agree',
      ...line(15, 12),
      symptoms: [
        {
          name: 'conversation_no_progress',
          severity: 'high',
          subject: {},
          source: 'shared_state',
          evidence: { ticks_without_progress: 15, threshold: 12, last_progress_tick: 7 },
          summaryMentions: ['15', '12', '7'],
          suggestionMentions: ['operator'],
        },
      ],
    },
    { why: 'exactly at the threshold', ...line(12, 12), symptoms: ['conversation_no_progress'] },
  ],
});
