import { localHealth } from '../../../../src/signals/rules/local_health.js';
import { testRule } from '../../../support/rule-tester.js';

const DIR = '/sessions/s1';
const DEAD = { url: 'http://127.0.0.1:8888/health', reachable: false, status: 'error', error: 'timeout' };
const REFUSED = { ...DEAD, error: 'refused' };
const SERVER = { pid: 1, is_server: true, cmd: 'python -m vllm serve' };
const client = (more: object) => ({ pid: 2, cmd: 'python benchmark_serving.py', ...more });
const scene = (health: object[], processes: object[] = [SERVER], more: object = {}) => ({
  local_server_health: health,
  local_processes: processes,
  ...more,
});
const U = 'local_server_unreachable';

testRule(localHealth, {
  valid: [
    { why: 'no endpoint was probed', snapshot: scene([]) },
    { why: 'the endpoint answers', snapshot: scene([{ ...DEAD, reachable: true }]) },
    { why: 'an unanswered port without any server is an idle stretch', snapshot: scene([DEAD], []) },
    {
      why: "another session's server is none of ours (local_health-3)",
      snapshot: scene(
        [DEAD],
        [{ ...SERVER, session_owned: false }, client({ session_owned: false, cwd: DIR })],
      ),
    },
    ...[
      ['a sibling whose name merely starts alike', { cwd: `${DIR}-retry` }],
      [
        'a path that leaves the session again (local_health-5)',
        { cmd: `benchmark_serving --out ${DIR}/../other` },
      ],
      ['a relative path', { cmd: 'benchmark_serving --out sessions/s1' }],
      ['a path behind a colon', { cmd: `benchmark_serving --mount x:${DIR}` }],
    ].map(([what, more]) => ({
      why: `a client elsewhere: ${what}`,
      snapshot: scene([DEAD], [client(more as object)]),
    })),
    {
      why: 'a session at the root owns nothing (local_health-5)',
      context: { session_dir: '/' },
      snapshot: scene([DEAD], [client({ cwd: '/x' })]),
    },
    {
      why: 'the first failing probe (local_health-1)',
      snapshot: scene([{ ...REFUSED, fail_streak: 1, last_ok_unix: 9000, first_seen_unix: 1 }]),
    },
    {
      why: 'an unknown streak is no streak (local_health-1)',
      snapshot: scene([{ ...REFUSED, fail_streak: null }]),
    },
    {
      why: 'a server that was started a while ago is still loading (local_health-1)',
      snapshot: scene(
        [{ ...REFUSED, fail_streak: 40, last_ok_unix: 6000, first_seen_unix: 1 }],
        [{ ...SERVER, session_owned: true, start_unix: 6401 }],
      ),
      undecided: [U],
    },
    {
      why: 'without a process list a server that never answered may be one that loads',
      snapshot: scene([{ ...REFUSED, fail_streak: 9, last_ok_unix: null, first_seen_unix: 9000 }], [], {
        local_processes_known: false,
      }),
      undecided: [U],
    },
    {
      why: 'a server of unknown start that never answered is loading since it was seen first (local_health-1)',
      snapshot: scene([{ ...REFUSED, fail_streak: 9, last_ok_unix: null, first_seen_unix: 9000 }]),
      undecided: [U],
    },
    {
      why: 'the second timeout of a server that answered within a quarter of an hour: busy engines miss probes (09 §2)',
      snapshot: scene([{ ...DEAD, fail_streak: 2, last_ok_unix: 9101, first_seen_unix: 1 }]),
    },
    {
      why: 'a slow health endpoint over an engine that generates (local_health-1)',
      snapshot: scene([{ ...DEAD, fail_streak: 9, last_ok_unix: 9999, first_seen_unix: 1 }], [SERVER], {
        local_engine: [{ log: 'l', samples: [{ unix: 9890, gen_tokens_s: 12 }] }],
      }),
    },
  ],
  invalid: [
    {
      why: 'the only endpoint of a living server is dead',
      snapshot: scene([DEAD]),
      symptoms: [
        {
          name: U,
          severity: 'high',
          subject: { url: DEAD.url },
          source: 'local',
          evidence: {
            url: DEAD.url,
            status: 'error',
            status_code: null,
            error: 'timeout',
            server_process_seen: true,
            benchmark_client_seen: false,
          },
          summaryMentions: [DEAD.url, 'error'],
          suggestionMentions: ['recover'],
        },
      ],
    },
    {
      why: 'one of two endpoints is dead',
      snapshot: scene([DEAD, { ...DEAD, url: 'b', reachable: true }]),
      symptoms: [{ name: U, severity: 'medium' }],
    },
    {
      why: 'an entry that says nothing is dead',
      snapshot: scene([{}]),
      symptoms: [{ name: U, severity: 'high', subject: { url: '' } }],
    },
    {
      why: 'an unknown process list caps the severity (local_health-4)',
      snapshot: scene([DEAD], [SERVER], { local_processes_known: false }),
      symptoms: [
        {
          name: U,
          severity: 'medium',
          evidenceWith: { server_process_seen: null, benchmark_client_seen: null },
        },
      ],
    },
    ...[
      ['its working directory', { cwd: DIR }],
      ['a deleted working directory (local_health-5)', { cwd: `${DIR}/runs (deleted)` }],
      ['a word of its command line', { cmd: `benchmark_serving --out ${DIR}/r` }],
      ['a value behind an equals sign', { cmd: `benchmark_serving --out=${DIR}` }],
      ['a quoted value behind a second one (local_health-5)', { cmd: `benchmark_serving --a=b="${DIR}/x"` }],
      ['a path with repeated slashes', { cwd: `//sessions/./s1//runs` }],
    ].map(([what, more]) => ({
      why: `a client of the session is known by ${what}`,
      snapshot: scene([DEAD], [client(more as object)]),
      symptoms: [
        {
          name: U,
          severity: 'high' as const,
          evidenceWith: { server_process_seen: false, benchmark_client_seen: true },
        },
      ],
    })),
    {
      why: 'a server of unknown owner caps the severity (local_health-3)',
      snapshot: scene([REFUSED], [{ ...SERVER, session_owned: null }]),
      symptoms: [{ name: U, severity: 'medium' }],
    },
    {
      why: 'an owned client beside it lifts the cap (local_health-3)',
      snapshot: scene([REFUSED], [{ ...SERVER, session_owned: null }, client({ session_owned: true })]),
      symptoms: [{ name: U, severity: 'high' }],
    },
    {
      why: 'a server that answered since its start is lost (local_health-1)',
      snapshot: scene(
        [{ ...REFUSED, fail_streak: 2, last_ok_unix: 9900, first_seen_unix: 1 }],
        [{ ...SERVER, session_owned: true, start_unix: 9000 }],
      ),
      symptoms: [{ name: U, severity: 'high' }],
    },
    {
      why: 'loading has an end (local_health-1)',
      snapshot: scene(
        [{ ...REFUSED, fail_streak: 400, last_ok_unix: null, first_seen_unix: 1 }],
        [{ ...SERVER, session_owned: true, start_unix: 6400 }],
      ),
      symptoms: [{ name: U, severity: 'high' }],
    },
    {
      why: 'the second timeout after a quarter of an hour is not yet urgent (local_health-2)',
      snapshot: scene([{ ...DEAD, fail_streak: 2, last_ok_unix: 9100, first_seen_unix: 1 }]),
      symptoms: [{ name: U, severity: 'medium' }],
    },
    {
      why: 'the second timeout of a server of which nobody knows when it answered last (local_health-2)',
      snapshot: scene(
        [{ ...DEAD, fail_streak: 2, last_ok_unix: null, first_seen_unix: 1 }],
        [{ ...SERVER, session_owned: true, start_unix: 6400 }],
      ),
      symptoms: [{ name: U, severity: 'medium' }],
    },
    {
      why: 'a refusal is told at the second probe, a minute after the last answer',
      snapshot: scene([{ ...REFUSED, fail_streak: 2, last_ok_unix: 9940, first_seen_unix: 1 }]),
      symptoms: [{ name: U, severity: 'high' }],
    },
    {
      why: 'two timeouts within minutes are told on demand',
      snapshot: scene([{ ...DEAD, fail_streak: 2, last_ok_unix: 9900, first_seen_unix: 1 }]),
      config: { server_timeout_quiet_s: 0 },
      symptoms: [{ name: U, severity: 'medium' }],
    },
    {
      why: 'the third timeout is (local_health-2), and engine samples of long ago excuse nothing',
      snapshot: scene([{ ...DEAD, fail_streak: 3, last_ok_unix: 9900, first_seen_unix: 1 }], [SERVER], {
        local_engine: [
          {
            samples: [
              { unix: 9879, gen_tokens_s: 12 },
              { unix: 9999, gen_tokens_s: 0 },
            ],
          },
        ],
      }),
      symptoms: [{ name: U, severity: 'high' }],
    },
    {
      why: 'an endpoint that fails for the first time counts as failing for the other one (local_health-1)',
      snapshot: scene([
        { ...REFUSED, fail_streak: 5, last_ok_unix: 9900, first_seen_unix: 1 },
        { ...REFUSED, url: 'b', fail_streak: 1, last_ok_unix: 9900, first_seen_unix: 1 },
      ]),
      symptoms: [{ name: U, severity: 'high', subject: { url: DEAD.url } }],
    },
  ],
});
