import type { SymptomSpec } from '../../rule.js';
import { aboutAgent, both, explainerIs } from '../../shared/explain.js';
import { logNumberIn } from '../../shared/log-patterns.js';

const ABOUT_ORCHESTRATION = aboutAgent('orchestration');

/** What local health can say (spec 03 §8, 04 §12 and §13). */
export const localHealthSymptoms = {
  local_server_unreachable: {
    severities: ['medium', 'high'],
    subjectKeys: ['url'],
    nature: 'state',
    meaning: 'A health endpoint does not answer although a server, or a client of it, lives.',
    action: 'Delegate recover with forced GPU cleanup when it is urgent; otherwise keep watching.',
    needs: ['health'],
    explains: [
      { row: 8, explains: ['engine_hang'] },
      { row: 8, explains: ['agent_stall'], when: ABOUT_ORCHESTRATION },
    ],
  },
  log_error_pattern: {
    severities: ['low', 'medium', 'high'],
    subjectKeys: ['pattern'],
    nature: 'event',
    meaning: 'New lines in the logs match a known kind of failure.',
    action: 'Read the lines. A root cause calls for recover or escalation, a cascade for its root.',
    needs: ['logs'],
    explains: [
      {
        row: 6,
        asRole: 'root',
        explains: [
          'log_error_pattern:confirmation',
          'log_error_pattern:cascade',
          'engine_hang',
          'local_server_unreachable',
        ],
        when: explainerIs('high'),
        destructive: 'kept',
      },
      {
        row: 6,
        asRole: 'root',
        explains: ['agent_stall'],
        when: both(explainerIs('high'), ABOUT_ORCHESTRATION),
      },
      {
        row: 7,
        asRole: 'confirmation',
        explains: ['log_error_pattern:cascade', 'engine_hang', 'local_server_unreachable'],
        destructive: 'kept',
      },
      { row: 7, asRole: 'confirmation', explains: ['agent_stall'], when: ABOUT_ORCHESTRATION },
    ],
  },
  gpu_thermal_high: {
    severities: ['medium', 'high'],
    subjectKeys: ['gpu_id'],
    nature: 'state',
    meaning: 'A temperature sensor of a GPU is above its limit.',
    action: 'Relieve the thermal pressure; look at cooling and power limits.',
    needs: ['gpu'],
  },
  disk_pressure: {
    severities: ['medium', 'high'],
    subjectKeys: ['mountpoint'],
    nature: 'state',
    meaning: 'A file system is nearly full, in percent and in free space.',
    action: 'Archive older runs; profile traces are usually the largest part.',
    needs: ['disk'],
    explains: [{ row: 25, explains: ['log_error_pattern'], when: logNumberIn(40) }],
  },
  shm_pressure: {
    severities: ['medium', 'high'],
    subjectKeys: ['mountpoint'],
    nature: 'state',
    meaning: 'Shared memory is nearly full, which is a hard failure for SGLang and vLLM.',
    action: 'Lower the tensor parallelism, or restart the pod with a larger shm.',
    needs: ['disk'],
    explains: [{ row: 24, explains: ['log_error_pattern'], when: logNumberIn(35, 40) }],
  },
  ray_head_dead: {
    severities: ['high'],
    subjectKeys: [],
    nature: 'state',
    meaning: 'The Ray head does not answer, so kernel submissions are stuck.',
    action: 'Restart the Ray head; prune kernel_opt until then.',
    needs: ['ray'],
    explains: [
      { row: 10, explains: ['ray_pending_starvation'] },
      { row: 10, explains: ['geak_budget_starvation', 'kernel_opt_no_progress'], destructive: 'dropped' },
    ],
  },
  fd_pressure: {
    severities: ['medium', 'high'],
    subjectKeys: ['pid'],
    nature: 'state',
    meaning: 'The Coordinator uses nearly all of its file descriptors.',
    action: 'Restart the Coordinator with resume: descriptors leak.',
    needs: ['fd'],
    explains: [{ row: 26, explains: ['log_error_pattern'], when: logNumberIn(41) }],
  },
} as const satisfies Readonly<Record<string, SymptomSpec>>;
