import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the collectors that read what a session has produced (spec 02 §1.1). */
export const artifactFields = {
  decision_audit_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Re-read integrate decisions, kernel attempts and CI metrics.',
  },
  decision_audit_max_integrate: {
    type: 'integer',
    default: 20,
    unit: 'count',
    maximum: 1000,
    doc: 'Newest integrate decisions in the snapshot.',
  },
  decision_audit_max_oob_attempts: {
    type: 'integer',
    default: 50,
    unit: 'count',
    maximum: 1000,
    doc: 'Newest kernel optimisation attempts in the snapshot.',
  },
  preflight_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Read the manifest, the model configuration and the kernel breakdown.',
  },
  critic_health_enabled: { type: 'boolean', default: true, doc: "Look at the Critic's work directory." },
  critic_health_max_judge_bundles: {
    type: 'integer',
    default: 20,
    unit: 'count',
    maximum: 1000,
    doc: "Newest of the Critic's turns in the snapshot.",
  },
} as const satisfies ConfigFields;
