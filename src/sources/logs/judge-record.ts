import { lazy } from '../../foreign/lazy.js';
import { type LogDetector, type LogRole, logDetectors } from './detectors.js';
import { configured, type Span } from './language.js';
import { type OutOfMemory, outOfMemorySizes } from './out-of-memory.js';
import type { LogRecord } from './records.js';
import { isExcused } from './safety.js';

/** What a record was recognised as. */
export interface LogFinding {
  readonly identifier: string;
  readonly role: LogRole;
  /** The line that says so, without colours. */
  readonly text: string;
  readonly oom: OutOfMemory | null;
}

const ANSI = /\u001b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\))/g;
/** Occurrences in one line that are looked at when earlier ones are excused. */
const MAX_OCCURRENCES = 16;
const RANK: Readonly<Record<LogRole, number>> = { root: 0, own: 1, confirmation: 2, cascade: 3 };

/** Recognises failures in the records of a log. */
export class LogJudge {
  readonly #detectors: () => readonly LogDetector[];

  /** @param patterns further texts, `log_error_patterns` of the configuration */
  constructor(patterns: readonly string[]) {
    this.#detectors = lazy(() => {
      const own = patterns.flatMap((pattern): LogDetector[] => {
        const language = configured(pattern);
        return language === undefined ? [] : [{ identifier: pattern, role: 'root', language }];
      });
      return [...logDetectors(), ...own];
    });
  }

  /** The finding of a record: of several exceptions in one trace the one that can explain the others, else the first. */
  judge(record: LogRecord): LogFinding | undefined {
    let best: LogFinding | undefined;
    for (const line of record.lines) {
      const finding = this.#judgeLine(line.text);
      if (finding !== undefined && (best === undefined || RANK[finding.role] < RANK[best.role]))
        best = finding;
    }
    return best;
  }

  #judgeLine(raw: string): LogFinding | undefined {
    const text = raw.includes('\u001b') ? raw.replace(ANSI, '') : raw;
    // A letter that changes its length in lower case would shift positions; only ASCII matters to the detectors.
    const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    for (const detector of this.#detectors()) {
      if (!accepts(detector, lower)) continue;
      const oom = detector.namesSizes === true ? outOfMemorySizes(text) : null;
      return { identifier: detector.identifier, role: detector.role, text, oom };
    }
    return undefined;
  }
}

function accepts(detector: LogDetector, lower: string): boolean {
  let from = 0;
  for (let i = 0; i < MAX_OCCURRENCES; i += 1) {
    const span: Span | undefined = detector.language(lower, from);
    if (span === undefined) return false;
    if (!isExcused(detector, lower, span)) return true;
    from = span.start + 1;
  }
  return false;
}
