import { wholeWords } from '../../foreign/word.js';
import { matchEvidence } from '../evidence/fingerprints.js';
import type { ErrorType } from '../model/error-type.js';

export type SymptomKind = 'cpu' | 'memory' | 'disk' | 'slowness';

const WORDS: Readonly<Record<SymptomKind, readonly { test(text: string): boolean }[]>> = {
  cpu: [wholeWords('cpu')],
  memory: ['memory', 'ram', 'vram', 'oom'].map(wholeWords),
  disk: ['disk', 'space'].map(wholeWords),
  slowness: ['slow', 'slower', 'slowly', 'slowness', 'latency'].map(wholeWords),
};
const EXPLAINS: Readonly<Record<SymptomKind, ErrorType>> = {
  cpu: 'infra',
  memory: 'oom',
  disk: 'infra',
  slowness: 'network',
};
const OF_SYMPTOM: Readonly<Record<string, SymptomKind>> = {
  gpu_memory_leaked: 'memory',
  disk_pressure: 'disk',
  shm_pressure: 'disk',
};

/** What an issue says is wrong, and which type its own words already name. */
export interface Issue {
  readonly kinds: readonly SymptomKind[];
  /** The type of the issue text's own fingerprint. */
  readonly typeNamed: ErrorType | null;
}

/** The issue that a person described. */
export function issueOfText(text: string): Issue {
  const kinds = (['cpu', 'memory', 'disk', 'slowness'] as const).filter((kind) =>
    WORDS[kind].some((word) => word.test(text)),
  );
  return { kinds, typeNamed: matchEvidence(text)?.fingerprint.errorType ?? null };
}

/** The issue behind a finding, whose text is not read (spec 07 B9.3-11). */
export function issueOfSymptom(symptom: string): Issue {
  const kind = OF_SYMPTOM[symptom];
  return { kinds: kind === undefined ? [] : [kind], typeNamed: null };
}

export function namesSlowness(issue: Issue): boolean {
  return issue.kinds.includes('slowness');
}

/**
 * False when the issue names what is wrong and this type cannot explain any of it (spec 07 B9.3-11).
 *
 * @param subjectIsSlow the subject carries a latency signal
 */
export function isRelevant(issue: Issue, type: ErrorType, subjectIsSlow: boolean): boolean {
  if (issue.kinds.length === 0 || issue.typeNamed === type) return true;
  return issue.kinds.some((kind) => EXPLAINS[kind] === type || (kind === 'slowness' && subjectIsSlow));
}
