import { cutCodePoints } from '../../../foreign/hygiene.js';
import { integer, type Json, objectOr } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { scalarText } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';

const STDERR_CODE_POINTS = 240;

/** The Ray head does not answer (spec 03 §8.5). */
export function deadRayHead(ray: Json): Symptom | undefined {
  const { healthy, reason, stderr, returncode } = objectOr(ray);
  if (healthy === undefined || healthy === null || isTruthy(healthy)) return undefined;
  const why = scalarText(reason) || 'unknown';
  return {
    name: 'ray_head_dead',
    severity: 'high',
    summary: `The Ray head is not healthy: ${why}`,
    evidence: {
      reason: why,
      stderr: cutCodePoints(scalarText(stderr) ?? '', STDERR_CODE_POINTS),
      returncode: integer(returncode) ?? null,
    },
    subject: {},
    source: 'local',
    suggestion:
      'Prune kernel_opt and escalate restarting the Ray head: GEAK and kernel submissions are stuck until then.',
  };
}
