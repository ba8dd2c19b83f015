import { describe, expect, it } from 'vitest';
import { createFileTree } from '../../../src/investigate/evidence/file-tree.js';
import { isNearLine, type Place, pointingItems } from '../../../src/investigate/evidence/pointing.js';
import type { Evidence, EvidenceItem } from '../../../src/investigate/model/evidence.js';
import { evidenceOf, item } from '../support.js';

const PATH = 'shop/prices.py';
const trees = [createFileTree([PATH, 'shop/other.py'])];

/** Lines of the file as read, from `start`; every fifth is blank. */
function read(start: number, count: number, path = PATH, text = 'x = 1'): Evidence {
  const lines = Array.from({ length: count }, (_, index) => ((start + index) % 5 === 0 ? '' : text));
  return evidenceOf('source', {
    hasContent: true,
    source: { path, lineStart: start, lineEnd: start + count - 1, lines },
  });
}

function logged(parts: Partial<EvidenceItem>): EvidenceItem {
  return item({ key: 'log', cls: 'log', fingerprint: 'index_error', text: 'IndexError', ...parts });
}
const framed = (line: number, path = `/srv/app/${PATH}`): EvidenceItem =>
  logged({ frames: [{ path, line, isLibrary: false }] });

function points(one: EvidenceItem, place: Partial<Place>, ...reads: Evidence[]): boolean {
  return pointingItems([one], { path: PATH, line: null, ...place }, reads, trees).length === 1;
}

describe('what points to a place', () => {
  it.each<[string, EvidenceItem, Partial<Place>, Evidence[], boolean]>([
    ['a frame on the claimed line', framed(12), { line: 12 }, [read(1, 60)], true],
    ['a frame, no line being claimed', framed(12), {}, [read(1, 60)], true],
    ['a frame in the same function', framed(12), { line: 8 }, [read(1, 60)], true],
    ['a frame 10 lines away', framed(12), { line: 22 }, [read(1, 60)], true],
    ['a frame 11 lines away', framed(12), { line: 23 }, [read(1, 60)], false],
    ['a frame on a line that was not read', framed(212), {}, [read(1, 60)], false],
    ['a frame on a blank line', framed(15), {}, [read(1, 60)], false],
    ['a claimed line that was not read', framed(12), { line: 99 }, [read(1, 60)], false],
    ['two reads that hold one line each', framed(12), { line: 21 }, [read(1, 12), read(21, 3)], true],
    ['a frame in another file', framed(12, '/srv/app/shop/other.py'), { line: 12 }, [read(1, 60)], false],
    ['nothing that was read', framed(12), { line: 12 }, [], false],
    ['a read of another file', framed(12), { line: 12 }, [read(1, 60, 'shop/other.py')], false],
    ['a hint with its line', logged({ fileHint: `${PATH}:12` }), { line: 12 }, [read(1, 60)], true],
    ['a hint with another line', logged({ fileHint: `${PATH}:112` }), { line: 12 }, [read(1, 160)], false],
    ['a hint without a line', logged({ fileHint: PATH }), { line: 12 }, [read(1, 60)], true],
    ['an item that names no place', logged({}), { line: 12 }, [read(1, 60)], false],
  ])('%s: %s', (_what, one, place, reads, isPointing) => {
    expect(points(one, place, ...reads)).toBe(isPointing);
  });

  it('is a literal of its line, near the claimed one', () => {
    const one = logged({ fingerprint: 'oom_killed', text: 'loading the price table: out of memory' });
    const reads = [read(1, 60, PATH, 'log("loading the price table")')];
    expect(points(one, { line: 12 }, ...reads)).toBe(true);
    const far = [read(1, 2, PATH, 'log("loading the price table")'), read(101, 2)];
    expect(points(one, { line: 101 }, ...far)).toBe(false);
  });

  it('a line that nobody claims is near any', () => {
    expect([isNearLine(null, 5), isNearLine(5, null), isNearLine(5, 16)]).toEqual([true, true, false]);
  });
});
