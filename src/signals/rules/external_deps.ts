import { objectOr } from '../../foreign/json.js';
import { defineRule, type Explanation } from '../rule.js';
import { newlySettled, saidSeverity, standingUnlessWorse } from '../shared/latch.js';
import type { Severity } from '../symptom.js';
import { gatewaySymptom } from './external_deps/gateway.js';
import { mountSymptoms } from './external_deps/mounts.js';
import { tracelensVerdict } from './external_deps/tracelens.js';

type State = {
  /** Whether the missing tools were said; cleared when one appears. */
  readonly fired: boolean;
  /** How severe it was when they were said. */
  readonly severity: Severity;
};

const WITHOUT_GATEWAY = [
  'critic_unavailable_streak',
  'critic_runtime_stuck',
  'conversation_no_progress',
  'agent_stall',
] as const;

function withoutGateway(row: number): readonly Explanation[] {
  return [{ row, explains: WITHOUT_GATEWAY }];
}

/** When something outside the session explains why it fails (spec 04 §10). */
export const externalDeps = defineRule({
  name: 'external_deps',
  configSlot: 'external_deps',
  needs: ['gateway', 'mounts', 'tracelens'],
  symptoms: {
    gateway_auth_outage: {
      severities: ['medium', 'high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The LLM gateway rejects the credentials of the session.',
      action: 'Rotate the API keys and export them again for every agent.',
      needs: ['gateway'],
      explains: withoutGateway(11),
    },
    gateway_unreachable: {
      severities: ['medium', 'high'],
      subjectKeys: [],
      nature: 'state',
      meaning: 'The LLM gateway has not answered several probes in a row.',
      action: 'Check the gateway and the way to it.',
      needs: ['gateway'],
      explains: withoutGateway(12),
    },
    wekafs_degraded: {
      severities: ['medium', 'high'],
      subjectKeys: ['path'],
      nature: 'state',
      meaning: 'A path that tools of the session depend on is missing, hangs or answers slowly.',
      action: 'Check the file system and mount it again, or correct the variable that names the path.',
      needs: ['mounts'],
      explains: [
        {
          row: 23,
          explains: ['tracelens_cli_missing'],
          when: ({ evidence }) => String(evidence['env_name']).startsWith('TRACELENS'),
        },
      ],
    },
    tracelens_cli_missing: {
      severities: ['low', 'medium', 'high'],
      subjectKeys: [],
      nature: 'latched',
      meaning:
        'The tools that turn profiler traces into reports are not installed; urgent when a profile was requested.',
      action: 'Run the TraceLens installer again.',
      needs: ['tracelens'],
    },
  },
  config: {
    external_mount_latency_warn_ms: {
      type: 'number',
      unit: 'ms',
      default: 5000,
      doc: 'A path that answers this slowly is reported.',
    },
    external_mount_latency_critical_ms: {
      type: 'number',
      unit: 'ms',
      default: 15_000,
      doc: 'From here on it is high.',
    },
    external_gateway_min_failures: {
      type: 'integer',
      unit: 'probes',
      default: 2,
      doc: 'Rejected probes in a row from which on rejected credentials are high.',
    },
    external_gateway_unreachable_min: {
      type: 'integer',
      unit: 'probes',
      default: 3,
      doc: 'Unanswered probes in a row before an unreachable gateway is reported.',
    },
    external_gateway_unreachable_high: {
      type: 'integer',
      unit: 'probes',
      default: 6,
      doc: 'Unanswered probes in a row from which on it is high.',
    },
  },
  state: {
    slot: 'tracelens_cli_latch',
    parse: (raw): State => ({ fired: raw['fired'] === true, severity: saidSeverity(raw['severity']) }),
  },
  evaluate({ snapshot, config, state }) {
    const deps = objectOr(snapshot.local_external_deps);
    const gateway = gatewaySymptom(objectOr(deps['gateway']), {
      minFailures: config.external_gateway_min_failures,
      unreachableMin: config.external_gateway_unreachable_min,
      unreachableHigh: config.external_gateway_unreachable_high,
    });
    const mounts = mountSymptoms(deps['mounts'], {
      warnMs: config.external_mount_latency_warn_ms,
      criticalMs: config.external_mount_latency_critical_ms,
    });
    const others = gateway ? [gateway, ...mounts] : mounts;
    const tools = tracelensVerdict(objectOr(deps['tracelens_cli']));
    if (tools === 'present')
      return { symptoms: others, ...(state.fired && { state: { ...state, fired: false } }) };
    if (tools === 'unknown') return { symptoms: others };
    return { symptoms: [...others, state.fired ? standingUnlessWorse(tools, state.severity) : tools] };
  },
  settle(state, outcome, settlement) {
    const said = newlySettled(outcome, settlement).find(({ name }) => name === 'tracelens_cli_missing');
    return said ? { fired: true, severity: said.severity } : state;
  },
});
