import { localHealth } from '../../../../src/signals/rules/local_health.js';
import { testRule } from '../../../support/rule-tester.js';

const hit = (pattern: unknown, line?: string, more: object = {}) => ({
  pattern,
  ...(line !== undefined && { line }),
  ...more,
});
const logs = (...local_log_errors: unknown[]) => ({ local_log_errors: local_log_errors as object[] });
const oom = (tried_mib: unknown, free_mib: unknown, cap_mib: unknown = null) => ({
  oom: { tried_mib, free_mib, total_mib: 196_000, cap_mib },
});

testRule(localHealth, {
  valid: [
    { why: 'hits without a pattern', snapshot: logs(hit('', 'x'), hit(null, 'x'), {}) },
    {
      why: 'lines that were seen before (local_health-7)',
      snapshot: logs(hit('Killed', 'x', { new: false }), hit('Killed', 'y', { new: null })),
    },
  ],
  invalid: [
    {
      why: 'what ends an engine, of one that goes on working, as a remark',
      snapshot: logs(hit('Segmentation fault', 'a', { survived: true })),
      symptoms: [
        {
          name: 'log_error_pattern',
          severity: 'low',
          subject: { pattern: 'Segmentation fault' },
          evidenceWith: { survived: true },
        },
      ],
    },
    {
      why: 'what an engine can get over at medium, and what stays so whether it works or not as it is',
      snapshot: logs(
        hit('HIP out of memory', 'a', { survived: true }),
        hit('amdgpu ring timeout', 'b', { survived: true }),
        hit('RuntimeError', 'c', { survived: true }),
      ),
      symptoms: [
        {
          name: 'log_error_pattern',
          severity: 'medium',
          subject: { pattern: 'HIP out of memory' },
          summaryMentions: ['the engine went on working'],
          suggestionMentions: ['Nothing to do for the engine'],
        },
        {
          name: 'log_error_pattern',
          severity: 'high',
          subject: { pattern: 'amdgpu ring timeout' },
          evidenceWith: { survived: true },
          suggestionMentions: ['recover'],
        },
        { name: 'log_error_pattern', severity: 'medium', subject: { pattern: 'RuntimeError' } },
      ],
    },
    {
      why: 'an engine that got over it once and not the second time',
      snapshot: logs(hit('Segmentation fault', 'a', { survived: true }), hit('Segmentation fault', 'b')),
      symptoms: [{ name: 'log_error_pattern', severity: 'high', subject: { pattern: 'Segmentation fault' } }],
    },
    {
      why: 'patterns in first-seen order, each with its first lines',
      snapshot: logs(
        hit('RuntimeError', 'a'),
        hit('CUDA out of memory', 'b'),
        hit('RuntimeError', 'c'),
        hit('RuntimeError', 'd'),
        hit('RuntimeError', 'e'),
      ),
      symptoms: [
        {
          name: 'log_error_pattern',
          severity: 'medium',
          subject: { pattern: 'RuntimeError' },
          evidenceWith: {
            pattern: 'RuntimeError',
            count: 4,
            samples: ['a', 'c', 'd'],
            new_count: 4,
            role: 'cascade',
          },
        },
        {
          name: 'log_error_pattern',
          severity: 'high',
          evidenceWith: { count: 1, samples: ['b'], role: 'root' },
        },
      ],
    },
    {
      why: 'identifiers are compared exactly',
      snapshot: logs(hit('cuda out of memory', 'x')),
      symptoms: [{ name: 'log_error_pattern', severity: 'medium', evidenceWith: { role: 'own' } }],
    },
    {
      why: 'a configured pattern is never urgent',
      snapshot: logs(hit('my own *pattern', 'x')),
      symptoms: [{ name: 'log_error_pattern', severity: 'medium' }],
    },
    {
      why: 'a hit without line',
      snapshot: logs(hit('Killed')),
      symptoms: [{ name: 'log_error_pattern', evidenceWith: { samples: [null] } }],
    },
    {
      why: 'one new line among old ones (local_health-7)',
      snapshot: logs(
        hit('Killed', 'old', { new: false, file: 'a' }),
        hit('Killed', 'new', { new: true, file: 'b' }),
        hit('Killed', 'new too', { new: true, file: 'b' }),
      ),
      symptoms: [
        {
          name: 'log_error_pattern',
          evidenceWith: { count: 3, new_count: 2, samples: ['new', 'new too'], files: ['a', 'b'] },
        },
      ],
    },
    {
      why: 'out of memory while much was free: an allocator limit (local_health-9)',
      snapshot: logs(hit('HIP out of memory', 'x', oom(1000, 2000))),
      symptoms: [
        {
          name: 'log_error_pattern',
          severity: 'medium',
          evidenceWith: { oom_kind: 'allocator' },
          suggestionMentions: ['memory fractions'],
        },
      ],
    },
    {
      why: 'out of memory at a limit that the process set itself (local_health-9)',
      snapshot: logs(hit('failed to allocate', 'x', oom(1000, 90_000, 30_000))),
      symptoms: [{ name: 'log_error_pattern', severity: 'low', evidenceWith: { oom_kind: 'limit' } }],
    },
    {
      why: 'out of memory when memory was out (local_health-9)',
      snapshot: logs(
        hit('HIP out of memory', 'x', oom(1000, 1999)),
        hit('hipErrorOutOfMemory', 'x', oom(1000, null)),
      ),
      symptoms: [
        { name: 'log_error_pattern', severity: 'high', evidenceWithout: ['oom_kind'] },
        { name: 'log_error_pattern', severity: 'high', evidenceWithout: ['oom_kind'] },
      ],
    },
    {
      why: 'one real exhaustion among allocator limits is exhaustion (local_health-9)',
      snapshot: logs(hit('HIP out of memory', 'x', oom(1, 900)), hit('HIP out of memory', 'y')),
      symptoms: [{ name: 'log_error_pattern', severity: 'high' }],
    },
    {
      why: 'sizes do not soften other patterns (local_health-9)',
      snapshot: logs(hit('Segmentation fault', 'x', oom(1, 900, 5))),
      symptoms: [{ name: 'log_error_pattern', severity: 'high' }],
    },
  ],
});
