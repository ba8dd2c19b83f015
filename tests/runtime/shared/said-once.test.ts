import { describe, expect, it } from 'vitest';
import { SELFEDIT_SLOT, saidOnce } from '../../../src/runtime/shared/said-once.js';

describe('a doubt about a prompt', () => {
  it('is told with the first tick that meets it, and again when it is another or comes back', () => {
    const first = saidOnce({}, 'rca', 'the hash differs');
    expect(first.warning).toContain('the hash differs');
    const slots = { [SELFEDIT_SLOT]: first.slot ?? {} };
    expect(saidOnce(slots, 'rca', 'the hash differs')).toEqual({});
    expect(saidOnce(slots, 'rca', 'v2.md is missing').warning).toContain('v2.md is missing');
    const mended = saidOnce(slots, 'rca', undefined);
    expect(mended.warning).toBeUndefined();
    expect(saidOnce({ [SELFEDIT_SLOT]: mended.slot ?? {} }, 'rca', 'the hash differs').warning).toBeDefined();
  });

  it('is nothing where there is none', () => {
    expect(saidOnce({}, 'rca', undefined)).toEqual({});
  });
});
