import { describe, expect, it } from 'vitest';
import { LOG_PATTERNS, logNumberIn, logPattern, logRole } from '../../../src/signals/shared/log-patterns.js';
import type { Symptom } from '../../../src/signals/symptom.js';
import { logDetectors } from '../../../src/sources/logs/detectors.js';

const hit = (pattern: string, name = 'log_error_pattern'): Symptom => ({
  name,
  severity: 'medium',
  summary: 's',
  evidence: {},
  subject: { pattern },
  source: 'local',
  suggestion: '',
});
const numbers = (role: string) =>
  LOG_PATTERNS.filter((pattern) => pattern.role === role).map(({ number }) => number);

describe('the table of log patterns', () => {
  it('numbers 79 different identifiers in order', () => {
    expect(LOG_PATTERNS.map(({ number }) => number)).toEqual(
      Array.from({ length: 79 }, (_, index) => index + 1),
    );
    expect(new Set(LOG_PATTERNS.map(({ id }) => id)).size).toBe(79);
  });

  it('has the roles of spec 03 §8.2', () => {
    expect(numbers('confirmation')).toEqual([2, 3, 22, 38, 39, 43, 44, 46, 47, 56, 57, 58, 63, 67, 68]);
    expect(numbers('cascade')).toEqual([4, 15, 25, 26, 27, 66, 69, 70, 71, 73, 79]);
    expect(numbers('own')).toEqual([1, 9, 10, 16, 42]);
    expect(numbers('root')).toHaveLength(79 - 31);
  });

  it('has the severities of spec 03 §8.2', () => {
    const medium = LOG_PATTERNS.filter(({ severity }) => severity === 'medium').map(({ number }) => number);
    expect(medium).toEqual([
      4, 15, 16, 25, 26, 27, 40, 41, 42, 48, 49, 59, 64, 66, 69, 70, 71, 72, 73, 74, 78, 79,
    ]);
  });

  it('keeps the wire identifiers byte for byte', () => {
    expect(logPattern('runtime\\.cli .* timed out after \\d+s')?.number).toBe(1);
    expect(logPattern('ROCblas.*Status\\s*\\d+')?.number).toBe(13);
    expect(logPattern('killed')).toBeUndefined();
  });
});

describe('the collector of log lines', () => {
  it('knows the same identifiers with the same roles', () => {
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    const judged = LOG_PATTERNS.map(({ id, role }) => ({ id, role }));
    const matched = logDetectors().map(({ identifier, role }) => ({ id: identifier, role }));
    expect(matched.sort(byId)).toEqual([...judged].sort(byId));
  });
});

describe('logRole', () => {
  it('is the role of the detector, own for a configured pattern, and none for other symptoms', () => {
    expect(logRole(hit('Killed'))).toBe('cascade');
    expect(logRole(hit('my pattern'))).toBe('own');
    expect(logRole(hit('Killed', 'agent_stall'))).toBeUndefined();
  });
});

describe('logNumberIn', () => {
  it('holds for the given detectors alone', () => {
    const isSpace = logNumberIn(35, 40);
    expect(isSpace(hit('x'), hit('No space left on device'))).toBe(true);
    expect(isSpace(hit('x'), hit('Too many open files'))).toBe(false);
    expect(isSpace(hit('x'), hit('my pattern'))).toBe(false);
  });
});
