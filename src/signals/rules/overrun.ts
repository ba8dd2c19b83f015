import { finiteNumber, objectOr } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import { defineRule } from '../rule.js';
import { LATE_BUSINESS } from './budget.js';
import { stopReasonOf } from './state_integrity/state-file.js';

/** When the session goes on long after its deadline, by our own clock (spec 04 §11). */
export const overrun = defineRule({
  name: 'overrun',
  configSlot: 'overrun',
  needs: ['state'],
  symptoms: {
    budget_overrun: {
      severities: ['high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The deadline in the session’s state has long passed and nothing has stopped the session.',
      action: 'Stop the session and keep its last validated result; find out what ignores the deadline.',
      explains: [
        {
          row: 15,
          explains: [
            'deadline_hard_cutoff',
            'deadline_warning',
            ...LATE_BUSINESS,
            'cold_start_budget_exhausted',
          ],
        },
      ],
    },
  },
  config: {
    budget_overrun_grace_s: {
      type: 'number',
      unit: 's',
      default: 600,
      doc: 'Time after the deadline in which a running session may still stop.',
    },
    budget_overrun_closing_grace_s: {
      type: 'number',
      unit: 's',
      default: 3600,
      doc: 'The same in the closing phase, which may validate and report.',
    },
  },
  evaluate({ context, snapshot, config }) {
    const { shared_state: state, now_unix: nowUnix } = context;
    const stateJson = objectOr(snapshot.local_state_integrity)['state_json'];
    const deadline = finiteNumber(objectOr(stateJson)['deadline_unix']);
    if (deadline === undefined || deadline <= 0) return { symptoms: [] };
    if (state.stop_reason !== '' || stopReasonOf(stateJson) !== '') return { symptoms: [] };
    const graceS = state.closing_phase
      ? config.budget_overrun_closing_grace_s
      : config.budget_overrun_grace_s;
    const overS = nowUnix - deadline;
    if (overS < graceS) return { symptoms: [] };
    const minutes = roundHalfEven(overS / 60, 1);
    return {
      symptoms: [
        {
          name: 'budget_overrun',
          severity: 'high',
          subject: {},
          source: 'shared_state',
          summary:
            `The session has run ${minutes} minutes past its deadline${state.closing_phase ? ' in its closing phase' : ''}; ` +
            `the prompt claims ${state.remaining_minutes.toFixed(1)} minutes left`,
          suggestion:
            'Stop the session and keep its last validated result; find out what ignores the deadline.',
          evidence: {
            deadline_unix: deadline,
            overrun_minutes: minutes,
            closing_phase: state.closing_phase,
            remaining_minutes: state.remaining_minutes,
          },
        },
      ],
    };
  },
});
