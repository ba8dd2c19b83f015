import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the collectors that ask servers: health endpoints and the model gateway (spec 02 §1.1, §10.5). */
export const networkFields = {
  health_probe_targets: {
    type: 'string_list',
    default: [],
    doc: 'Health URLs asked in every tick, in this order; loopback only unless health_probe_allow_remote is set.',
  },
  health_probe_allow_remote: {
    type: 'boolean',
    default: false,
    doc: 'Ask configured health URLs on other machines too.',
  },
  health_probe_timeout_s: {
    type: 'number',
    default: 1.5,
    unit: 's',
    doc: 'Whole request to a health endpoint (at least 0.2) or to the gateway (at least 0.5).',
  },
  auto_probe_inference_server: {
    type: 'boolean',
    default: true,
    doc: 'Ask the inference servers of the session, found by their processes and pid files.',
  },
  inference_server_health_url: {
    type: 'string',
    default: 'http://127.0.0.1:8888/health',
    doc: 'Asked when no server of the session names a port and something listens there; empty = never.',
  },
  external_deps_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Look at the model gateway, the external mounts and the TraceLens tools.',
  },
  external_gateway_probe_url: {
    type: 'string',
    default: '',
    doc: 'Gateway URL to ask; empty = derived from OPENAI_BASE_URL or ANTHROPIC_BASE_URL.',
  },
  external_gateway_use_proxy: {
    type: 'boolean',
    default: false,
    doc: 'Reach the gateway through HTTP_PROXY, HTTPS_PROXY and NO_PROXY; local addresses never go through a proxy.',
  },
  external_mount_stat_timeout_s: {
    type: 'number',
    default: 5,
    unit: 's',
    exclusiveMinimum: 0,
    doc: 'How long an external mount may take to list itself.',
  },
} as const satisfies ConfigFields;
