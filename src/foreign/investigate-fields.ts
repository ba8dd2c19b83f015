import type { ConfigFields, ConfigValues } from './config-field.js';

const near = { clamped: true } as const;
const share = { type: 'number', unit: 'ratio', maximum: 1, ...near } as const;
const credential = { type: 'string', secret: true, nullable: true, default: null } as const;

/** A name of the reference, which has no prefix in the file; the prefixed variable wins (spec 07 B17). */
function alsoNamed<const Name extends string>(name: Name) {
  return [`INVESTIGATE_${name}`, name] as const;
}

/**
 * Settings of an investigation and of its page (spec 07 B17, A13). They lie here because the tick has to know their names,
 * and the investigation, which knows nothing of the tick, their defaults.
 */
export const investigateFields = {
  investigate_governor_profile: {
    type: 'string',
    choices: ['strict', 'reference'],
    default: 'strict',
    doc: 'Which policy sets the band; reference is for comparison only.',
  },
  investigate_corroboration_max_gap_s: {
    type: 'number',
    unit: 's',
    maximum: 86_400,
    default: 900,
    ...near,
    doc: 'How far apart two observations may be and still confirm each other.',
  },
  investigate_state_max_age_s: {
    type: 'number',
    unit: 's',
    maximum: 86_400,
    default: 300,
    ...near,
    doc: 'How far a reading of the machine may be from the incident and still count.',
  },
  investigate_max_model_requests: {
    type: 'integer',
    unit: 'requests',
    minimum: 1,
    maximum: 200,
    default: 20,
    ...near,
    doc: 'Requests to a model in one investigation.',
  },
  investigate_max_tool_calls: {
    type: 'integer',
    unit: 'calls',
    maximum: 500,
    default: 40,
    ...near,
    variables: ['MAX_TOOL_CALLS'],
    doc: "Calls of a model; the plan's own (at most 30) are apart.",
  },
  investigate_max_input_tokens: {
    type: 'integer',
    unit: 'tokens',
    minimum: 1000,
    maximum: 10_000_000,
    default: 200_000,
    ...near,
    doc: 'Tokens sent to a model in one investigation.',
  },
  investigate_max_output_tokens: {
    type: 'integer',
    unit: 'tokens',
    minimum: 100,
    maximum: 1_000_000,
    default: 20_000,
    ...near,
    doc: 'Tokens that a model writes in one investigation.',
  },
  investigate_max_wall_s: {
    type: 'number',
    unit: 's',
    minimum: 1,
    maximum: 3600,
    default: 300,
    ...near,
    doc: 'Whole investigation.',
  },
  investigate_max_cost_usd: {
    type: 'number',
    unit: 'USD',
    nullable: true,
    maximum: 10_000,
    default: null,
    ...near,
    doc: 'What the models of one investigation may cost; a model whose price is not known is then not asked.',
  },
  investigate_prices: {
    type: 'string_list',
    default: [],
    doc: 'Prices in USD per million tokens, each MODEL=IN/OUT; a model that is missing here is looked up in selfedit.prices.',
  },
  investigate_max_tool_result_chars: {
    type: 'integer',
    unit: 'characters',
    minimum: 500,
    maximum: 200_000,
    default: 12_000,
    ...near,
    doc: 'How much of one result a model sees at once.',
  },
  investigate_max_http_bytes: {
    type: 'integer',
    unit: 'bytes',
    minimum: 1024,
    maximum: 256 * 1024 * 1024,
    default: 8 * 1024 * 1024,
    ...near,
    doc: 'One answer of a service, unpacked.',
  },
  investigate_http_timeout_s: {
    type: 'number',
    unit: 's',
    minimum: 0.1,
    maximum: 300,
    default: 20,
    ...near,
    doc: 'One request to a service.',
  },
  investigate_model: {
    type: 'string',
    default: '',
    doc: 'Model that investigates; empty: as docs/llm.md says.',
  },
  investigate_model_context_tokens: {
    type: 'integer',
    unit: 'tokens',
    minimum: 4000,
    maximum: 10_000_000,
    default: 128_000,
    ...near,
    doc: 'Window of the model; older results are shortened before it is full.',
  },
  investigate_verifier_enabled: {
    type: 'boolean',
    default: false,
    variables: ['VERIFIER_ENABLED'],
    doc: 'Ask a model for a second opinion, which can only lower the band.',
  },
  investigate_verifier_model: {
    type: 'string',
    default: '',
    variables: ['VERIFIER_MODEL'],
    doc: 'Model of the second opinion, at the same provider; empty: the same model.',
  },
  investigate_verifier_min_band: {
    type: 'string',
    choices: ['low', 'medium', 'high'],
    default: 'medium',
    variables: ['VERIFIER_MIN_BAND'],
    doc: 'Band from which on a second opinion is asked for.',
  },
  investigate_sandbox_driver: {
    type: 'string',
    choices: ['auto', 'bwrap', 'e2b', 'none', 'off'],
    default: 'auto',
    doc: 'Where a model may reproduce a fault; auto is bwrap where it works, else e2b where its key is set; off is another word for none.',
  },
  investigate_sandbox_wall_s: {
    type: 'number',
    unit: 's',
    minimum: 1,
    maximum: 600,
    default: 90,
    ...near,
    doc: 'All runs of one reproduction together.',
  },
  investigate_source_roots: {
    type: 'string_list',
    default: [],
    doc: 'Directories with source that may be read.',
  },
  investigate_allow_chat_urls: {
    type: 'boolean',
    default: false,
    doc: 'Whether a chat may name a Jaeger or Loki on a host of investigate_url_allowlist.',
  },
  investigate_url_allowlist: {
    type: 'string_list',
    default: [],
    doc: 'Hosts that a chat may point to; never one with a private address.',
  },
  investigate_loki_service_label: {
    type: 'string',
    default: 'compose_service',
    doc: 'Label of Loki that names a service.',
  },
  investigate_github_api_url: {
    type: 'string',
    default: 'https://api.github.com',
    doc: 'REST API of the code host.',
  },
  investigate_github_mcp_command: {
    type: 'string',
    default: '',
    doc: 'An MCP server that is asked in its place: words between blanks, or a JSON list of texts.',
  },
  investigate_github_mcp_url: {
    type: 'string',
    default: '',
    doc: 'The same over HTTP: address of an MCP server that is there already.',
  },
  investigate_mask_identifiers: {
    type: 'boolean',
    default: false,
    doc: 'Show a model stand-ins for host names and user ids; results name the real ones.',
  },
  investigate_abstract_user_fields: {
    type: 'boolean',
    nullable: true,
    default: null,
    doc: 'Replace what users of a service typed by templates in its log lines; null: for questions in words, not for findings.',
  },
  investigate_keep: {
    type: 'integer',
    unit: 'investigations',
    minimum: 1,
    maximum: 10_000,
    default: 50,
    ...near,
    doc: 'Newest investigations that are kept.',
  },
  investigate_keep_transcript: {
    type: 'boolean',
    default: true,
    doc: 'Keep what was said to and by a model, secrets masked.',
  },
  investigate_telemetry: {
    type: 'boolean',
    default: false,
    doc: 'There is none: nothing is sent anywhere, whatever this says.',
  },
  investigate_host: {
    type: 'string',
    default: '127.0.0.1',
    doc: 'Address of the page; another than one of this machine alone needs investigate_token.',
  },
  investigate_port: {
    type: 'integer',
    unit: 'port',
    maximum: 65_535,
    default: 8000,
    ...near,
    doc: 'Port of the page; 0 takes a free one.',
  },
  investigate_token: {
    ...credential,
    doc: 'Bearer token of the page, of at least 16 characters.',
  },
  investigate_allowed_hosts: {
    type: 'string_list',
    default: [],
    doc: 'Further names under which the page is reached.',
  },
  investigate_max_concurrent: {
    type: 'integer',
    unit: 'investigations',
    minimum: 1,
    maximum: 64,
    default: 2,
    ...near,
    doc: 'Investigations of the page at once.',
  },
  investigate_detach_s: {
    type: 'number',
    unit: 's',
    maximum: 86_400,
    default: 60,
    ...near,
    doc: 'How long one of the page goes on when nobody watches.',
  },
  retry_confidence: {
    ...share,
    default: 0.4,
    variables: alsoNamed('RETRY_CONFIDENCE'),
    doc: 'Below it a model is asked once to look further or to confirm.',
  },
  fastpath_confidence: {
    ...share,
    default: 0.9,
    variables: alsoNamed('FASTPATH_CONFIDENCE'),
    doc: 'Confidence of an error line from which on a model is told to check it first.',
  },
  band_medium_min: {
    ...share,
    default: 0.55,
    variables: alsoNamed('BAND_MEDIUM_MIN'),
    doc: 'Least confidence of MEDIUM.',
  },
  band_high_min: {
    ...share,
    default: 0.85,
    variables: alsoNamed('BAND_HIGH_MIN'),
    doc: 'Least confidence of HIGH.',
  },
  band_ceil_low: {
    ...share,
    default: 0.5,
    variables: alsoNamed('BAND_CEIL_LOW'),
    doc: 'What a claim is lowered to where only LOW is supported.',
  },
  band_ceil_medium: {
    ...share,
    default: 0.8,
    variables: alsoNamed('BAND_CEIL_MEDIUM'),
    doc: 'What a claim is lowered to where only MEDIUM is supported.',
  },
  jaeger_url: {
    type: 'string',
    default: '',
    variables: alsoNamed('JAEGER_URL'),
    doc: 'Jaeger that is asked for traces; empty: none.',
  },
  jaeger_auth: {
    ...credential,
    variables: alsoNamed('JAEGER_AUTH'),
    doc: 'Its whole authorization value.',
  },
  loki_url: {
    type: 'string',
    default: '',
    variables: alsoNamed('LOKI_URL'),
    doc: 'Loki that is asked for log lines; empty: none.',
  },
  loki_auth: {
    ...credential,
    variables: alsoNamed('LOKI_AUTH'),
    doc: 'Its whole authorization value.',
  },
  github_token: {
    ...credential,
    variables: alsoNamed('GITHUB_TOKEN'),
    doc: 'Token that reads the repository.',
  },
  e2b_api_key: {
    ...credential,
    variables: alsoNamed('E2B_API_KEY'),
    doc: 'Key of E2B, whose sandboxes need the package e2b.',
  },
} as const satisfies ConfigFields;

/** Values of {@link investigateFields}; the credentials among them come apart from the others. */
export type InvestigateValues = ConfigValues<typeof investigateFields>;
