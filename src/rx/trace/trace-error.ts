/** What part of a trace file could not be read, and why. */
export interface TraceProblem {
  readonly file: string;
  /** Line number from 1; null when the file as a whole is unreadable. */
  readonly line: number | null;
  /** Path of the field inside the row; empty for the whole row. */
  readonly field: string;
  readonly reason: string;
}

/** The first problems in full, the rest counted. */
export interface ProblemList {
  readonly listed: readonly TraceProblem[];
  readonly total: number;
}

/** How many problems are listed (spec 06 A.1 Product). */
export const MAX_LISTED_PROBLEMS = 100;

/** Collects problems within a bound. */
export class ProblemCollector {
  private readonly listed: TraceProblem[] = [];
  private total = 0;

  add(problem: TraceProblem): void {
    this.total += 1;
    if (this.listed.length < MAX_LISTED_PROBLEMS) this.listed.push(problem);
  }

  result(): ProblemList {
    return { listed: this.listed, total: this.total };
  }
}

/** One line for people: `<path>:<line>: <field>: <reason>` (spec 06 A.1). */
export function formatProblem(problem: TraceProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`;
  return `${place}: ${problem.field === '' ? '' : `${problem.field}: `}${problem.reason}`;
}

/** More data than rx holds in memory; nothing is dropped silently, so loading ends here. */
export class TraceLimitError extends Error {
  constructor(
    readonly what: string,
    readonly limit: number,
  ) {
    super(`more than ${limit} ${what}`);
    this.name = 'TraceLimitError';
  }
}
