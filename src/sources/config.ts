import type { ConfigFields, ConfigValues } from '../foreign/config-field.js';

/** Fields that shape the sources (spec 02 §1). Each group of collectors spreads its own fields in here. */
export const sourcesFields = {
  disable_local_probe: {
    type: 'boolean',
    default: false,
    doc: 'Silence every collector that looks at this host; for runs over several nodes.',
  },
  nodes: { type: 'integer', default: 1, unit: 'count', signed: true, doc: 'Nodes of the run; informational.' },
  sources_deadline_s: {
    type: 'number',
    default: 12,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'All collectors together; what is not in by then is unknown.',
  },
} as const satisfies ConfigFields;

export type SourcesConfig = ConfigValues<typeof sourcesFields>;
