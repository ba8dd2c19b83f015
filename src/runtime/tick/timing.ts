import type { Snapshot } from '../../sources/snapshot.js';
import { monotonicMs } from '../../sources/tools/clock.js';

/** When each phase of a tick was over, ms since the process started. */
export class Timing {
  readonly #marks: [phase: string, at: number][] = [];

  /** Notes that a phase is over, now or at the given time. */
  mark(phase: string, at: number = monotonicMs()): void {
    this.#marks.push([phase, at]);
  }

  /** The phases one below the other, and how long each collector took, side by side as they run. */
  table(collectors: Snapshot['collectors'] = {}): string {
    let before = 0;
    const rows = this.#marks.map(([phase, at]) => {
      const took = at - before;
      before = at;
      return row(phase, at, took);
    });
    const reports = Object.entries(collectors).filter(([, report]) => report.status !== 'skipped');
    const looks = reports.map(([name, { ms, status }]) => `  ${name.padEnd(28)}${fixed(ms)}  ${status}`);
    return [
      `${'phase'.padEnd(20)}${'at ms'.padStart(10)}${'took ms'.padStart(10)}`,
      ...rows,
      ...(looks.length === 0 ? [] : ['collectors, beside each other, ms', ...looks]),
      '',
    ].join('\n');
  }
}

function row(phase: string, at: number, took: number): string {
  return `${phase.padEnd(20)}${fixed(at)}${fixed(took)}`;
}

function fixed(ms: number): string {
  return ms.toFixed(1).padStart(10);
}
