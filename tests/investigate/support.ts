import { readFileSync } from 'node:fs';
import type { EvidenceItem } from '../../src/investigate/model/evidence.js';

/** A file of the data pack's copy. */
export function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(`tests/fixtures/investigate/${name}`, 'utf8'));
}

/** A signal item with everything that a test does not care about left out. */
export function item(parts: Partial<EvidenceItem> & Pick<EvidenceItem, 'key' | 'cls'>): EvidenceItem {
  return {
    tsUnix: null,
    entities: [],
    fingerprint: null,
    kind: null,
    text: null,
    frames: [],
    fileHint: null,
    source: parts.key,
    line: null,
    ...parts,
  };
}
