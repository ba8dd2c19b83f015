import type { Json, JsonObject } from '../../../src/foreign/json.js';
import { kernelPipeline } from '../../../src/signals/rules/kernel_pipeline.js';
import { type Sight, testRule } from '../../support/rule-tester.js';

function audit(attempts: readonly Json[], integrate: readonly Json[] = []): Sight {
  return { snapshot: { local_decision_audit: { oob_attempts: attempts, recent_integrate: integrate } } };
}

function geak(report: Json, rest: JsonObject = {}): JsonObject {
  return { kernel_id: 'k', backend: 'geak', report_text: report, microbench_speedup: null, ...rest };
}

/** Two backends without success on each kernel. */
function fruitless(...kernels: readonly string[]): JsonObject[] {
  return kernels.flatMap((kernel_id) => [
    { kernel_id, backend: 'geak', report_text: 'no gain', microbench_speedup: 1.05 },
    { kernel_id, backend: 'Forge', report_text: 'no gain', microbench_speedup: 1.1 },
  ]);
}

const starving = 'geak_budget_starvation';
const stuck = 'kernel_opt_no_progress';

testRule(kernelPipeline, {
  valid: [
    { why: 'nothing was looked at', snapshot: { local_decision_audit: [] } },
    {
      why: 'lists of another kind',
      snapshot: { local_decision_audit: { oob_attempts: { a: 1 }, recent_integrate: 'x' } },
    },
    { why: 'one killed run', ...audit([geak('got SIGTERM')]) },
    {
      why: 'another backend may be killed',
      ...audit([geak('sigterm', { backend: 'forge' }), geak('sigterm', { backend: null })]),
    },
    {
      why: 'a recording of other sources knows the words of the specification alone',
      ...audit([geak('walltime exceeded'), geak('walltime exceeded')]),
    },
    {
      why: 'a time limit that is only spoken of',
      ...audit(
        ['within the time limit', 'wall time 40 s'].map((report) => geak(report, { timed_out: false })),
      ),
    },
    { why: 'signal 150 is another signal', ...audit([geak('exit on signal 150'), geak('signal 151')]) },
    { why: 'a longer word is another word', ...audit([geak('SIGTERMINATOR'), geak('xsigterm')]) },
    {
      why: 'runs without a kernel cannot be attributed',
      ...audit([geak('sigterm', { kernel_id: '' }), geak('sigterm', { kernel_id: null })]),
    },
    {
      why: 'a run whose outcome is unknown',
      ...audit([geak('', { timed_out: null }), geak('', { timed_out: null, status: 'ok' })]),
    },
    { why: 'two kernels without progress', ...audit(fruitless('k0', 'k1')) },
    {
      why: 'one of the three got faster',
      ...audit([...fruitless('k0', 'k1', 'k2'), geak('', { kernel_id: 'k1', microbench_speedup: 1.2 })]),
    },
    {
      why: 'one of the three is marked as improved',
      ...audit([...fruitless('k0', 'k1', 'k2'), geak('', { kernel_id: 'k1', improved: true })]),
    },
    {
      why: 'one of the three was kept',
      ...audit(fruitless('k0', 'k1', 'k2'), [{ kernel_id: 'k0', decision: 'KEEP' }]),
    },
    {
      why: 'the same backend twice is one backend',
      ...audit(
        ['k0', 'k1', 'k2'].flatMap((kernel_id) => [
          geak('', { kernel_id }),
          geak('', { kernel_id, backend: 'GEAK' }),
        ]),
      ),
    },
  ],
  invalid: [
    {
      why: 'a batch system ended the runs at their time limit',
      ...audit(
        ['job 7: walltime exceeded', 'TERM_RUNLIMIT: job killed'].map((report) =>
          geak(report, { timed_out: false }),
        ),
      ),
      symptoms: [{ name: starving, evidenceWith: { attempt_count: 2 } }],
    },
    {
      why: 'two runs on one kernel were killed',
      ...audit([
        geak('got SIGTERM from the runner'),
        geak('Budget exhausted after 1800 s', { backend: 'GEAKv4' }),
      ]),
      symptoms: [
        {
          name: starving,
          severity: 'medium',
          subject: { kernel_id: 'k' },
          source: 'local',
          evidence: {
            kernel_id: 'k',
            attempt_count: 2,
            threshold: 2,
            last_report_head: 'Budget exhausted after 1800 s',
            starving_kernels: 1,
          },
          summaryMentions: ['2 GEAK runs', 'kernel k', 'limit 2', 'never finishes'],
          suggestionMentions: ['more budget', 'rotation'],
        },
      ],
    },
    {
      why: 'a run in between that ended well does not reset the count',
      ...audit([geak('sigterm'), geak('fine'), geak('died of signal 15')]),
      symptoms: [
        { name: starving, evidenceWith: { attempt_count: 2, last_report_head: 'died of signal 15' } },
      ],
    },
    {
      why: 'every way to say it, with whatever blanks',
      ...audit([
        geak('timed  out\tbefore select_patch'),
        geak('KILLED BY\nDEADLINE'),
        geak('', { timed_out: true }),
        geak(null, { status: 'Timeout' }),
      ]),
      symptoms: [{ name: starving, evidenceWith: { attempt_count: 4, last_report_head: '' } }],
    },
    {
      why: 'a second starving kernel makes it a matter of the pipeline',
      ...audit(['a', 'b', 'a', 'b'].map((kernel_id) => geak('sigterm', { kernel_id }))),
      symptoms: [
        {
          name: starving,
          severity: 'high',
          subject: { kernel_id: 'a' },
          evidenceWith: { starving_kernels: 2 },
        },
        { name: starving, severity: 'high', subject: { kernel_id: 'b' } },
      ],
    },
    {
      why: 'on request one starving kernel is enough to be high',
      ...audit([geak('sigterm'), geak('sigterm')]),
      config: { kernel_pipeline_min_starving_kernels: 1 },
      symptoms: [{ name: starving, severity: 'high' }],
    },
    {
      why: 'long reports are cut',
      ...audit([geak('sigterm'), geak(`sigterm ${'é'.repeat(300)}`)]),
      symptoms: [{ name: starving, evidenceWith: { last_report_head: `sigterm ${'é'.repeat(192)}` } }],
    },
    {
      why: 'three kernels with two backends each and no gain',
      ...audit([...fruitless('k0', 'k1', 'k2'), geak('', { kernel_id: 'k0', microbench_speedup: 1.19 })]),
      symptoms: [
        {
          name: stuck,
          severity: 'high',
          subject: {},
          evidence: {
            kernel_count: 3,
            threshold: 3,
            kernels: [
              { kernel_id: 'k0', backends: ['forge', 'geak'], attempt_count: 3 },
              { kernel_id: 'k1', backends: ['forge', 'geak'], attempt_count: 2 },
              { kernel_id: 'k2', backends: ['forge', 'geak'], attempt_count: 2 },
            ],
          },
          summaryMentions: ['3 kernels', 'limit 3'],
          suggestionMentions: ['Prune kernel_opt'],
        },
      ],
    },
    {
      why: 'a PARTIAL is no progress',
      ...audit(fruitless('k0', 'k1', 'k2'), [{ kernel_id: 'k0', decision: 'PARTIAL' }]),
      symptoms: [stuck],
    },
    {
      why: 'seven kernels, five listed',
      ...audit(fruitless('a', 'b', 'c', 'd', 'e', 'f', 'g')),
      symptoms: [
        {
          name: stuck,
          evidenceWith: {
            kernel_count: 7,
            kernels: ['a', 'b', 'c', 'd', 'e'].map((kernel_id) => ({
              kernel_id,
              backends: ['forge', 'geak'],
              attempt_count: 2,
            })),
          },
        },
      ],
    },
    {
      why: 'both at once, starvation first',
      ...audit([
        ...fruitless('k0', 'k1', 'k2'),
        geak('sigterm', { kernel_id: 'k0' }),
        geak('sigterm', { kernel_id: 'k0' }),
      ]),
      symptoms: [starving, stuck],
    },
  ],
});
