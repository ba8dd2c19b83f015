import type { ConfigFields, ConfigValues } from '../../foreign/config-field.js';

/** Fields of the reactor itself (spec 01 §9.4). */
export const reactorFields = {
  tick_deadline_s: {
    type: 'number',
    default: 20,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'Whole tick, from process start; emit.json is in place by then, whatever is missing.',
  },
  standalone_tick_interval_s: {
    type: 'number',
    default: 10,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'Pause between two ticks of the standalone loop.',
  },
  state_store_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Keep detector state between ticks; without it every tick is the first.',
  },
  presence_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Write one presence line per tick: what was there, what was muted and why.',
  },
  finalize_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Write the postmortem when a tick sees a stop reason.',
  },
  finalize_reports_subdir: {
    type: 'string',
    default: 'reports',
    doc: 'Directory of the postmortem below the session directory.',
  },
  finalize_max_findings_in_report: {
    type: 'integer',
    default: 20,
    unit: 'entries',
    doc: 'HIGH findings listed in the postmortem.',
  },
  finalize_max_tasks_per_action: {
    type: 'integer',
    default: 50,
    unit: 'entries',
    doc: 'Task directories per action in the decision trace, newest first.',
  },
  state_dir: {
    type: 'string',
    nullable: true,
    default: null,
    doc: 'Where `rx` and `selfedit` keep what outlives a session; null: below XDG_STATE_HOME.',
  },
} as const satisfies ConfigFields;

export type ReactorConfig = ConfigValues<typeof reactorFields>;
