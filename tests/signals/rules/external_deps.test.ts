import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { externalDeps } from '../../../src/signals/rules/external_deps.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

const url = 'https://llm.example.net/v1/models';

function deps(slot: JsonObject): Sight {
  return { snapshot: { local_external_deps: slot } };
}

function gateway(change: JsonObject): Sight {
  return deps({ gateway: { url, ...change } });
}

function mounts(...rows: readonly Json[]): Sight {
  return deps({ mounts: rows });
}

function tools(change: JsonObject): Sight {
  return deps({
    tracelens_cli: { cli_names: ['b', 'a'], found: { b: false, a: false }, any_present: false, ...change },
  });
}

const weka = { env_name: 'TRACELENS_ROOT', path: '/mnt/weka', ok: true, error: null, latency_ms: 3 };
const missing = 'tracelens_cli_missing';

testRule(externalDeps, {
  valid: [
    { why: 'nothing was looked at', snapshot: { local_external_deps: [1] } },
    { why: 'a gateway that answers', ...gateway({ status: 'ok', status_code: 200 }) },
    { why: 'not found is no rejection', ...gateway({ status: 'http_error', status_code: 404 }) },
    { why: 'a code as text is no code', ...gateway({ status: 'http_error', status_code: '401' }) },
    { why: 'a code of 401.5 is no code', ...gateway({ status: 'http_error', status_code: 401.5 }) },
    {
      why: 'we sent no credentials, so a rejection proves nothing',
      ...gateway({ status: 'unauthenticated_probe', error: '401 without credentials', fail_streak: 9 }),
    },
    {
      why: 'two failed probes are no outage',
      ...gateway({ status: 'error', error: 'timeout', fail_streak: 2 }),
    },
    { why: 'nobody counted the failures', ...gateway({ status: 'error', error: 'timeout' }) },
    {
      why: 'the count is unknown',
      ...gateway({ status: 'server_error', status_code: 502, fail_streak: null }),
    },
    { why: 'a fast mount', ...mounts(weka) },
    { why: 'just below the warning', ...mounts({ ...weka, latency_ms: 4999.99 }) },
    { why: 'a latency as text is unknown', ...mounts({ ...weka, latency_ms: '9000' }) },
    { why: 'rows that are no objects', ...mounts(null, 5, ['x']) },
    { why: 'a tool is there', ...tools({ any_present: true }) },
    { why: 'nobody looked for the tools', ...deps({ tracelens_cli: {} }) },
  ],
  invalid: [
    {
      why: 'credentials rejected, by a source that counts no failures',
      ...gateway({ status: 'unauthorized', status_code: 401 }),
      symptoms: [
        {
          name: 'gateway_auth_outage',
          severity: 'high',
          subject: {},
          source: 'local',
          evidence: { url, status_code: 401, status: 'unauthorized', error: null },
          summaryMentions: ['401', 'unauthorized', url, 'fail'],
          suggestionMentions: ['Rotate', 'keys'],
        },
      ],
    },
    {
      why: 'the first rejected probe may be a glitch',
      ...gateway({ status: 'unauthorized', status_code: 401, fail_streak: 1 }),
      symptoms: [{ name: 'gateway_auth_outage', severity: 'medium' }],
    },
    {
      why: 'the second confirms it',
      ...gateway({ status: 'unauthorized', status_code: 401, fail_streak: 2 }),
      symptoms: [{ name: 'gateway_auth_outage', severity: 'high' }],
    },
    {
      why: 'an unknown count confirms nothing',
      ...gateway({ status: 'unauthorized', fail_streak: null }),
      symptoms: [{ name: 'gateway_auth_outage', severity: 'medium', evidenceWith: { status_code: null } }],
    },
    {
      why: 'a restricted key is forbidden to list models and may still work',
      ...gateway({ status: 'http_error', status_code: 403, fail_streak: 50 }),
      symptoms: [{ name: 'gateway_auth_outage', severity: 'medium' }],
    },
    {
      why: '403 that calls itself unauthorized is a rejection',
      ...gateway({ status: 'unauthorized', status_code: 403 }),
      symptoms: [{ name: 'gateway_auth_outage', severity: 'high' }],
    },
    {
      why: 'three failed probes in a row',
      ...gateway({ status: 'error', error: 'timeout', fail_streak: 3 }),
      symptoms: [
        {
          name: 'gateway_unreachable',
          severity: 'medium',
          subject: {},
          evidence: { url, status: 'error', status_code: null, error: 'timeout', fail_streak: 3 },
        },
      ],
    },
    {
      why: 'six failed probes in a row',
      ...gateway({ status: 'server_error', status_code: 503, fail_streak: 6 }),
      symptoms: [{ name: 'gateway_unreachable', severity: 'high', summaryMentions: ['6 probes', '503'] }],
    },
    {
      why: 'a path that is not there is a wrong variable',
      ...mounts({ ...weka, ok: false, error: 'not_found', latency_ms: 0.1 }),
      symptoms: [
        {
          name: 'wekafs_degraded',
          severity: 'medium',
          subject: { path: '/mnt/weka' },
          source: 'local',
          evidence: {
            env_name: 'TRACELENS_ROOT',
            path: '/mnt/weka',
            error: 'not_found',
            latency_ms: 0.1,
            env_names: ['TRACELENS_ROOT'],
          },
          summaryMentions: ['TRACELENS_ROOT', '/mnt/weka', 'not_found'],
        },
      ],
    },
    {
      why: 'a path that may not be read is a wrong permission',
      ...mounts({ ...weka, ok: false, error: 'permission: denied' }),
      symptoms: [{ name: 'wekafs_degraded', severity: 'medium' }],
    },
    {
      why: 'a path that hangs is an outage',
      ...mounts({ ...weka, ok: false, error: 'timeout', latency_ms: 5000 }),
      symptoms: [{ name: 'wekafs_degraded', severity: 'high', suggestionMentions: ['hang'] }],
    },
    {
      why: 'a row without facts is unreadable',
      ...mounts({ path: '/y' }),
      symptoms: [
        {
          name: 'wekafs_degraded',
          severity: 'high',
          evidenceWith: { env_name: '', path: '/y', error: null, latency_ms: null },
        },
      ],
    },
    {
      why: 'slow, slower',
      ...mounts({ ...weka, latency_ms: 5000 }, { ...weka, path: '/b', latency_ms: 15_000 }),
      symptoms: [
        {
          name: 'wekafs_degraded',
          severity: 'medium',
          evidenceWith: { latency_ms: 5000, warn_ms: 5000, critical_ms: 15_000 },
          summaryMentions: ['5000 ms'],
        },
        { name: 'wekafs_degraded', severity: 'high', subject: { path: '/b' } },
      ],
    },
    {
      why: 'two variables name the same path',
      ...mounts(
        { ...weka, ok: false },
        { ...weka, env_name: 'INFERENCEX_PATH', ok: false },
        { ...weka, path: '/c' },
      ),
      symptoms: [
        { name: 'wekafs_degraded', evidenceWith: { env_names: ['TRACELENS_ROOT', 'INFERENCEX_PATH'] } },
        { name: 'wekafs_degraded', evidenceWith: { env_name: 'INFERENCEX_PATH' } },
      ],
    },
    {
      why: 'no tool is there, seen by a source that knows no more',
      ...tools({}),
      symptoms: [
        {
          name: missing,
          severity: 'high',
          subject: {},
          evidence: { cli_names: ['b', 'a'], found: { b: false, a: false } },
          summaryMentions: ['b, a', 'trace analysis'],
          suggestionMentions: ['installer'],
        },
      ],
    },
    {
      why: 'a profile was requested',
      ...tools({ profile_requested: true, root_set: false }),
      symptoms: [{ name: missing, severity: 'high' }],
    },
    {
      why: 'only the root is set',
      ...tools({ profile_requested: null, root_set: true }),
      symptoms: [{ name: missing, severity: 'medium' }],
    },
    {
      why: 'nothing needs the tools',
      ...tools({ profile_requested: false, root_set: false }),
      symptoms: [{ name: missing, severity: 'low' }],
    },
    {
      why: 'no root is set, and who requested what was not asked',
      ...tools({ root_set: false }),
      symptoms: [{ name: missing, severity: 'low' }],
    },
    {
      why: 'no profile was requested, and the root was not asked for',
      ...tools({ profile_requested: false }),
      symptoms: [{ name: missing, severity: 'low' }],
    },
    {
      why: 'a slow row without names',
      ...mounts({ ok: true, latency_ms: 6000.4 }),
      symptoms: [
        {
          name: 'wekafs_degraded',
          subject: { path: '' },
          summaryMentions: ['an unnamed variable, (empty), took 6000 ms'],
        },
      ],
    },
    {
      why: 'odd facts',
      ...tools({ cli_names: 'x', found: ['a'] }),
      symptoms: [{ name: missing, evidence: { cli_names: [], found: {} } }],
    },
    {
      why: 'everything at once, in this order',
      ...deps({
        gateway: { url, status_code: 401 },
        mounts: [{ ...weka, ok: false }],
        tracelens_cli: { any_present: false },
      }),
      symptoms: ['gateway_auth_outage', 'wekafs_degraded', missing],
    },
  ],
  sequences: [
    {
      why: 'missing tools are said once, until they come and go again',
      steps: [
        { ...tools({}), symptoms: [missing], stateWith: { fired: true } },
        { ...tools({}), symptoms: [{ name: missing, standing: true }] },
        { ...deps({ tracelens_cli: {} }), symptoms: [], stateWith: { fired: true } },
        { ...tools({ any_present: true }), symptoms: [], stateWith: { fired: false } },
        { ...tools({}), symptoms: [missing] },
      ],
    },
    {
      why: 'a muted one is said later; other alerts of the tick do not count for it',
      steps: [
        {
          ...deps({ gateway: { status_code: 401 }, tracelens_cli: { any_present: false } }),
          isSettled: ({ name }) => name === 'gateway_auth_outage',
          symptoms: ['gateway_auth_outage', missing],
        },
        { ...tools({}), symptoms: [missing] },
      ],
    },
    {
      why: 'a profile is requested later: what was low becomes urgent, once',
      steps: [
        {
          ...tools({ profile_requested: false, root_set: false }),
          symptoms: [{ name: missing, severity: 'low' }],
        },
        {
          ...tools({ profile_requested: true, root_set: false }),
          isSettled: () => false,
          symptoms: [{ name: missing, severity: 'high' }],
        },
        {
          ...tools({ profile_requested: true, root_set: false }),
          symptoms: [{ name: missing, severity: 'high' }],
          stateWith: { fired: true, severity: 'high' },
        },
        {
          ...tools({ profile_requested: true, root_set: false }),
          symptoms: [{ name: missing, severity: 'high', standing: true }],
        },
        {
          ...tools({ profile_requested: false, root_set: false }),
          symptoms: [{ name: missing, severity: 'low', standing: true }],
        },
      ],
    },
    {
      why: 'a slot of the reference stands at any severity',
      state: { fired: true },
      steps: [{ ...tools({}), symptoms: [{ name: missing, severity: 'high', standing: true }] }],
    },
    {
      why: 'only true is a latch',
      state: { fired: 'yes' },
      steps: [{ ...tools({}), symptoms: [missing] }],
    },
  ],
});
