import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the probe and the degrade router (spec 02 §1.1). */
export const probeFields = {
  disable_local_probe: {
    type: 'boolean',
    default: false,
    doc: 'Silence every collector that looks at this host; for runs over several nodes.',
  },
  nodes: {
    type: 'integer',
    default: 1,
    unit: 'count',
    signed: true,
    doc: 'Nodes of the run; informational.',
  },
  sources_deadline_s: {
    type: 'number',
    default: 12,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'All collectors together; what is not in by then is unknown.',
  },
  source_fail_threshold: {
    type: 'integer',
    default: 3,
    unit: 'count',
    doc: 'Consecutive failures after which a source counts as degraded; at least 1.',
  },
  source_recheck_interval_s: {
    type: 'number',
    default: 30,
    unit: 's',
    doc: 'How often a degraded source is tried again.',
  },
} as const satisfies ConfigFields;
