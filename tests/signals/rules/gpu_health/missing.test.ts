import { describe, expect, it } from 'vitest';
import {
  type GpuRoster,
  missingGpus,
  nextRoster,
  parseRoster,
} from '../../../../src/signals/rules/gpu_health/missing.js';

const all = ['0', '1', '2', '3'];
const without = (...gone: string[]) => all.filter((id) => !gone.includes(id));

/** The GPUs that are missed after these looks, of one tool unless said otherwise. */
function missedAfter(looks: readonly (readonly string[])[], tools: readonly string[] = []): string[] {
  const roster = looks.reduce<GpuRoster>(
    (before, ids, index) =>
      // As it is stored between two ticks.
      parseRoster(
        JSON.parse(
          JSON.stringify(nextRoster(before, { tool: tools[index] ?? 'amd-smi', ids, mayAdvance: true })),
        ),
      ),
    parseRoster({}),
  );
  return missingGpus(roster);
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('a GPU that is listed no more', () => {
  it('is missed at the third look without it', () => {
    expect(missedAfter([...times(3, all), ...times(2, without('2'))])).toEqual([]);
    expect(missedAfter([...times(3, all), ...times(3, without('2'))])).toEqual(['2']);
    expect(missedAfter([...times(3, all), ...times(9, without('0', '2'))])).toEqual(['0', '2']);
  });

  it('is no longer missed once it is back', () => {
    expect(missedAfter([...times(3, all), ...times(5, without('2')), all])).toEqual([]);
  });

  it('is not missed when it was there once or twice only', () => {
    expect(missedAfter([...times(2, all), ...times(9, without('2'))])).toEqual([]);
  });

  it('is not missed by a tool that lists nothing, which tells nothing', () => {
    expect(missedAfter([...times(3, all), ...times(9, [])])).toEqual([]);
    expect(missedAfter([...times(3, all), without('2'), [], without('2'), [], without('2')])).toEqual(['2']);
  });

  it('is not missed when another tool answers, or answers in turn', () => {
    const looks = [...times(3, all), ...times(6, without('2'))];
    expect(missedAfter(looks, [...times(3, 'rocm-smi'), ...times(6, 'amd-smi')])).toEqual([]);
    const turns = looks.map((_, index) => (index % 2 === 0 ? 'rocm-smi' : 'amd-smi'));
    expect(missedAfter(looks, turns)).toEqual([]);
  });

  it('is not missed when the GPUs were partitioned anew', () => {
    const partitions = Array.from({ length: 16 }, (_, index) => String(index));
    expect(missedAfter([...times(3, partitions), ...times(6, all)])).toEqual([]);
    expect(missedAfter([...times(3, all), ...times(6, ['0', '1', '4'])])).toEqual([]);
  });

  it('is not counted twice in one tick', () => {
    const roster = parseRoster({ tool: 't', listed: { 0: 3, 1: 3 }, missing: { 1: 2 } });
    const again = nextRoster(roster, { tool: 't', ids: ['0'], mayAdvance: false });
    expect(missingGpus(again)).toEqual([]);
    expect(missingGpus(nextRoster(again, { tool: 't', ids: ['0'], mayAdvance: true }))).toEqual(['1']);
  });

  it('is learnt anew from a damaged memory', () => {
    expect(parseRoster({ tool: 7, listed: { 0: 'x', 1: -4 }, missing: [1] })).toEqual({
      tool: '',
      listed: { 0: 0, 1: 0 },
      missing: {},
    });
  });
});
