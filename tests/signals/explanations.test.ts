import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/signals/registry.js';
import { LOG_PATTERNS, logRole } from '../../src/signals/shared/log-patterns.js';
import type { Severity, Symptom } from '../../src/signals/symptom.js';

const SPECS = new Map(RULES.flatMap((rule) => Object.entries(rule.symptoms)));

/** `name`, `name{key=value}`, or `log:number`; a trailing `!` means high. */
function symptom(sketch: string): Symptom {
  const severity: Severity = sketch.endsWith('!') ? 'high' : 'medium';
  const plain = sketch.replace(/!$/, '');
  const number = /^log:(\d+)$/.exec(plain)?.[1];
  const pattern = LOG_PATTERNS.find((candidate) => String(candidate.number) === number)?.id;
  const [, name = '', key, value = ''] = /^(\w+)(?:\{(\w+)=(.*)\})?$/.exec(plain) ?? [];
  return {
    name: number ? 'log_error_pattern' : name,
    severity,
    summary: 's',
    evidence: {},
    subject: pattern ? { pattern } : key ? { [key]: value } : {},
    source: 'local',
    suggestion: '',
  };
}

/** The declared explanation of one symptom by another, severities aside: comparing them is the ladder's part. */
function explanationOf(explainer: Symptom, explained: Symptom) {
  const names = [explained.name, `${explained.name}:${logRole(explained) ?? ''}`];
  return SPECS.get(explainer.name)?.explains?.find(
    ({ explains, asRole, when }) =>
      explains.some((name) => names.includes(name)) &&
      (asRole === undefined || asRole === logRole(explainer)) &&
      (when === undefined || when(explainer, explained)),
  );
}

const ORCHESTRATION = 'agent_stall{agent=orchestration}';
const CRITIC = 'agent_stall{agent=critic}';

describe('an explanation holds', () => {
  it.each([
    ['model_gpu_infeasible!', 'log:59', 3, undefined],
    ['recover_unsuccessful!', 'gpu_memory_leaked!', 4, 'dropped'],
    ['recover_unsuccessful!', 'local_server_unreachable!', 4, 'dropped'],
    ['recover_unsuccessful!', 'repeated_failure{family=recover}!', 4, 'dropped'],
    ['gpu_memory_leaked!', 'log:18', 5, undefined],
    ['gpu_memory_leaked!', 'log:20', 5, undefined],
    ['gpu_memory_leaked!', 'log:25', 5, undefined],
    ['gpu_memory_leaked!', 'local_server_unreachable!', 5, 'kept'],
    ['gpu_lost{gpu_id=0}!', 'log:53!', 1, undefined],
    ['log:28!', 'log:38!', 6, 'kept'],
    ['log:55!', 'log:56!', 6, 'kept'],
    ['log:28!', 'log:26', 6, 'kept'],
    ['log:28!', 'engine_hang', 6, 'kept'],
    ['log:28!', 'local_server_unreachable!', 6, 'kept'],
    ['log:28!', ORCHESTRATION, 6, undefined],
    ['log:38!', 'log:26', 7, 'kept'],
    ['log:38!', 'engine_hang', 7, 'kept'],
    ['log:38!', 'local_server_unreachable!', 7, 'kept'],
    ['log:38!', ORCHESTRATION, 7, undefined],
    ['local_server_unreachable!', 'engine_hang', 8, undefined],
    ['local_server_unreachable!', ORCHESTRATION, 8, undefined],
    ['ray_head_dead!', 'ray_pending_starvation!', 10, undefined],
    ['ray_head_dead!', 'geak_budget_starvation', 10, 'dropped'],
    ['ray_head_dead!', 'kernel_opt_no_progress!', 10, 'dropped'],
    ['deadline_warning', 'budget_strategy_drift', 16, undefined],
    ['deadline_warning!', 'deadline_imminent!', 16, undefined],
    ['deadline_warning', 'phase_budget_nearly_exhausted', 16, undefined],
    ['deadline_hard_cutoff!', 'gain_plateau', 16, undefined],
    ['deadline_hard_cutoff!', 'cold_start_budget_exhausted!', 16, undefined],
    ['conversation_no_progress!', 'gain_plateau', 20, undefined],
    ['conversation_no_progress!', 'no_levers_found', 20, undefined],
    ['conversation_no_progress!', ORCHESTRATION, 20, undefined],
    ['shm_pressure', 'log:35!', 24, undefined],
    ['shm_pressure', 'log:40', 24, undefined],
    ['disk_pressure', 'log:40', 25, undefined],
    ['fd_pressure', 'log:41', 26, undefined],
    ['aiter_jit_build_stuck', 'log:42', 28, undefined],
    ['geak_budget_starvation{kernel_id=a}!', 'geak_budget_starvation{kernel_id=b}!', 29, 'dropped'],
  ])('%s explains %s (row %i)', (explainer, explained, row, destructive) => {
    const found = explanationOf(symptom(explainer), symptom(explained));
    expect(found?.row).toBe(row);
    expect(found?.destructive).toBe(destructive);
  });
});

describe('a neighbour is not swallowed', () => {
  it.each([
    ['recover_unsuccessful!', 'repeated_failure{family=sweep}!', 'another family fails for its own reasons'],
    ['gpu_memory_leaked!', 'log:21!', 'a crash is no lack of memory'],
    ['gpu_memory_leaked!', 'gpu_thermal_high', 'heat has nothing to do with it'],
    ['log:40', 'log:26', 'a root that is not urgent explains nothing'],
    ['log:28!', 'log:18!', 'two roots are two causes'],
    ['log:28!', 'log:9!', 'a gate that failed stands on its own'],
    ['log:28!', CRITIC, 'the critic does not run on the GPU'],
    ['log:38!', 'log:28!', 'a confirmation does not explain a root'],
    ['log:38!', 'log:3!', 'nor another confirmation'],
    ['log:26', 'local_server_unreachable', 'a cascade explains nothing'],
    ['log:9!', 'log:26', 'an own pattern explains nothing'],
    ['local_server_unreachable!', CRITIC, 'the critic does not need the server'],
    ['local_server_unreachable!', 'log:26', 'lines in the log come before the outage'],
    ['ray_head_dead!', ORCHESTRATION, 'orchestration does not need Ray'],
    ['deadline_warning', 'cold_start_budget_exhausted!', 'only the cutoff makes a cold start pointless'],
    ['deadline_imminent!', 'phase_budget_nearly_exhausted', 'the share axis explains nothing'],
    ['conversation_no_progress!', CRITIC, 'another agent'],
    ['shm_pressure', 'disk_pressure', 'another file system'],
    ['disk_pressure', 'log:35!', 'shared memory is another file system'],
    ['fd_pressure', 'log:40', 'no descriptor is not no space'],
    ['aiter_jit_build_stuck', 'log:5!', 'a compilation that failed is a cause of its own'],
    ['crash_count_high!', 'log:28!', 'a count is no cause'],
    [
      'geak_budget_starvation{kernel_id=a}',
      'geak_budget_starvation{kernel_id=b}',
      'below the number from which the budget is to blame each kernel has its own reason',
    ],
    ['gpu_contended{gpu_id=0}', 'gpu_contended{gpu_id=1}', 'nothing says that it is the same neighbour'],
    ['gpu_lost{gpu_id=0}!', 'gpu_lost{gpu_id=1}!', 'two boards are two boards'],
    ['local_server_unreachable{url=a}!', 'local_server_unreachable{url=b}!', 'two servers are two servers'],
  ])('%s does not explain %s: %s', (explainer, explained) => {
    expect(explanationOf(symptom(explainer), symptom(explained))).toBeUndefined();
  });
});
