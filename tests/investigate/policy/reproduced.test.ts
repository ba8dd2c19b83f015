import { describe, expect, it } from 'vitest';
import { issueOfText } from '../../../src/investigate/policy/relevance.js';
import {
  type PolicyClaim,
  type Reproduction,
  strictSupport,
} from '../../../src/investigate/policy/strict.js';
import { evidenceOf, item } from '../support.js';

const FILE = 'shop/prices.py';
const lines = Array.from({ length: 200 }, (_, index) => `line_${index + 1}`);
const source = evidenceOf('source', {
  hasContent: true,
  source: { path: FILE, lineStart: 1, lineEnd: 200, lines },
});
const logged = evidenceOf('log', {
  services: ['cart'],
  items: [
    item({
      key: 'log',
      cls: 'log',
      tsUnix: 1000,
      entities: ['service:cart'],
      fingerprint: 'index_error',
      text: 'IndexError: list index out of range',
      fileHint: `${FILE}:12`,
    }),
  ],
});
const REPRODUCED: Reproduction = {
  filePath: FILE,
  verified: true,
  line: 12,
  error: { fingerprint: 'index_error', text: 'IndexError: list index out of range' },
};
const parsing = { fingerprint: 'value_parse', text: 'ValueError: invalid literal for int' };

function bandOf(
  reproduction: Partial<Reproduction>,
  claim: Partial<PolicyClaim> = {},
  evidence = [logged, source],
): string {
  return strictSupport(
    { errorType: 'index_out_of_bounds', service: 'cart', filePath: FILE, lineNumber: 12, ...claim },
    {
      evidence,
      issue: issueOfText(''),
      mode: 'llm',
      trees: [],
      reproductions: [{ ...REPRODUCED, ...reproduction }],
      maxGapS: 900,
    },
  ).band;
}

describe('a verified reproduction', () => {
  it.each<[string, Partial<Reproduction>, Partial<PolicyClaim>, string]>([
    ['of the claimed fault', {}, {}, 'high'],
    ['of the claimed fault, in a more general word', {}, { errorType: 'runtime_error' }, 'high'],
    ['of the claimed fault, no line being claimed', {}, { lineNumber: null }, 'high'],
    ['of another error in the same file', { error: parsing }, {}, 'medium'],
    ['far from the claimed line', { line: 120 }, {}, 'medium'],
    ['of another file', { filePath: 'shop/other.py' }, {}, 'medium'],
    ['for a claim on another line', {}, { lineNumber: 120 }, 'low'],
    ['for a claim of another kind', {}, { errorType: 'parsing_error' }, 'medium'],
    ['for a claim on another service', {}, { service: 'frontend' }, 'medium'],
  ])('%s: %s', (_what, reproduction, claim, band) => {
    expect(bandOf(reproduction, claim)).toBe(band);
  });

  it('alone supports medium, for its own kind of error', () => {
    expect(bandOf({}, {}, [])).toBe('medium');
    expect(bandOf({}, { errorType: 'null_pointer' }, [])).toBe('low');
    expect(bandOf({}, { errorType: 'network' }, [])).toBe('low');
  });
});
