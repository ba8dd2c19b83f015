import type { RayAnswer } from './types.js';

/** A cluster that answers `ray status`, with its demands as that command lists them. */
export function rayAnswers(...demands: readonly string[]): RayAnswer {
  const listed = demands.length === 0 ? [' (no resource demands)'] : demands.map((demand) => ` ${demand}`);
  const rule = '-'.repeat(63);
  const lines = [
    '======== Autoscaler status: 2031-04-05 06:07:08.912045 ========',
    'Node status',
    rule,
    'Active:',
    ' 1 node_0c5be1f7a3',
    'Pending:',
    ' (no pending nodes)',
    'Recent failures:',
    ' (no failures)',
    '',
    'Resources',
    rule,
    'Total Usage:',
    ' 14.0/192.0 CPU',
    ' 8.0/8.0 GPU',
    ' 0B/1.74TiB memory',
    'Total Constraints:',
    ' (no request_resources() constraints)',
    'Total Demands:',
    ...listed,
    '',
  ];
  return { kind: 'prints', code: 0, stdout: lines.join('\n'), stderr: '' };
}

/** `ray status` that ends with an error. */
export function rayFails(...stderr: readonly string[]): RayAnswer {
  return { kind: 'prints', code: 1, stdout: '', stderr: `${stderr.join('\n')}\n` };
}
