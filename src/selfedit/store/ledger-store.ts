import type { Database } from 'better-sqlite3';
import { parseJson } from '../../foreign/json.js';
import { AlphaLedger, type LedgerOutcome } from '../../stats/alpha-ledger.js';
import { type GateRules, gateRulesOf } from '../gate/rules.js';
import { sha256 } from '../hash.js';

/** A booked test. */
export interface BookedTest {
  readonly epoch: number;
  readonly test_no: number;
  readonly alpha: number;
  /** The settings of its epoch, which may be older than the configuration. */
  readonly rules: GateRules;
}

type LedgerRow = {
  readonly epoch: number;
  readonly test_no: number;
  readonly edit_id: string;
  readonly run_id: string;
  readonly alpha: number;
  readonly outcome: LedgerOutcome | 'open';
  readonly settings_json: string;
};

/** The spent error levels of one prompt (spec 08 §24.4). A level is booked before the first call that it pays for. */
export class LedgerStore {
  readonly #db: Database;
  readonly #promptId: string;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, promptId: string, now: () => number) {
    this.#db = db;
    this.#promptId = promptId;
    this.#now = now;
  }

  /** The epoch in progress, from 1. */
  get epoch(): number {
    const row = this.#db
      .prepare<[string, string], { epoch: number | null }>(
        `SELECT MAX(epoch) AS epoch FROM (SELECT epoch FROM epochs WHERE prompt_id = ?
         UNION ALL SELECT epoch FROM alpha_ledger WHERE prompt_id = ?)`,
      )
      .get(this.#promptId, this.#promptId);
    return row?.epoch ?? 1;
  }

  /** When an epoch began, Unix seconds; 0 for the first one. */
  epochBegan(epoch: number): number {
    const row = this.#db
      .prepare<[string, number], { at: number }>('SELECT at FROM epochs WHERE prompt_id = ? AND epoch = ?')
      .get(this.#promptId, epoch);
    return row?.at ?? 0;
  }

  rows(epoch = this.epoch): readonly LedgerRow[] {
    return this.#db
      .prepare<[string, number], LedgerRow>(
        'SELECT * FROM alpha_ledger WHERE prompt_id = ? AND epoch = ? ORDER BY test_no',
      )
      .all(this.#promptId, epoch);
  }

  /** The settings of the epoch in progress: those of its first test, else the given ones. */
  rules(config: GateRules): GateRules {
    const first = this.#firstSettings();
    return first === null ? gateRulesOf(config) : rulesIn(first, config);
  }

  /** The level of the next test; null when the epoch has had all of its tests. */
  nextAlpha(config: GateRules): number | null {
    const rules = this.rules(config);
    return new AlphaLedger(rules.alpha_epoch, rules.confirmations_per_epoch, this.rows().map(settled)).next;
  }

  /** Books the level of a test, on the disk when it returns; null when the epoch is closed. */
  book(editId: string, runId: string, config: GateRules): BookedTest | null {
    this.#db.pragma('synchronous = FULL');
    try {
      return this.#db
        .transaction((): BookedTest | null => {
          const alpha = this.nextAlpha(config);
          if (alpha === null) return null;
          const rules = this.rules(config);
          const epoch = this.epoch;
          const test_no = this.rows(epoch).length + 1;
          const settings = JSON.stringify(rules);
          this.#db
            .prepare(
              `INSERT INTO alpha_ledger (prompt_id, epoch, test_no, edit_id, run_id, alpha, outcome, settings_sha256,
               settings_json, at) VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)`,
            )
            .run(
              this.#promptId,
              epoch,
              test_no,
              editId,
              runId,
              alpha,
              sha256(settings),
              settings,
              this.#now(),
            );
          return { epoch, test_no, alpha, rules };
        })
        .immediate();
    } finally {
      this.#db.pragma('synchronous = NORMAL');
    }
  }

  /** The test of this edit in this run, when it was booked before an interruption. */
  booked(editId: string, runId: string, config: GateRules): BookedTest | null {
    const row = this.#db
      .prepare<[string, string, string], LedgerRow>(
        `SELECT * FROM alpha_ledger WHERE prompt_id = ? AND run_id = ? AND edit_id = ? AND outcome = 'open'`,
      )
      .get(this.#promptId, runId, editId);
    return row === undefined
      ? null
      : { epoch: row.epoch, test_no: row.test_no, alpha: row.alpha, rules: this.rules(config) };
  }

  /** The test of an edit in a run, whatever became of it, with the settings under which it was booked. */
  testOf(editId: string, runId: string, config: GateRules): BookedTest | null {
    const row = this.#db
      .prepare<[string, string, string], LedgerRow>(
        'SELECT * FROM alpha_ledger WHERE prompt_id = ? AND run_id = ? AND edit_id = ? ORDER BY epoch DESC, test_no DESC',
      )
      .get(this.#promptId, runId, editId);
    if (row === undefined) return null;
    const { epoch, test_no, alpha, settings_json } = row;
    return { epoch, test_no, alpha, rules: rulesIn(settings_json, config) };
  }

  settle({ epoch, test_no }: Pick<BookedTest, 'epoch' | 'test_no'>, outcome: LedgerOutcome): void {
    this.#db
      .prepare('UPDATE alpha_ledger SET outcome = ? WHERE prompt_id = ? AND epoch = ? AND test_no = ?')
      .run(outcome, this.#promptId, epoch, test_no);
  }

  /** Counts tests that another, interrupted run left open as not promoted (spec 08 §24.4). */
  closeOpen(runId: string): number {
    return this.#db
      .prepare(
        `UPDATE alpha_ledger SET outcome = 'not_promoted' WHERE prompt_id = ? AND outcome = 'open' AND run_id <> ?`,
      )
      .run(this.#promptId, runId).changes;
  }

  /** Begins the next epoch. */
  openEpoch(): number {
    const epoch = this.epoch + 1;
    this.#db
      .prepare('INSERT INTO epochs (prompt_id, epoch, at) VALUES (?, ?, ?)')
      .run(this.#promptId, epoch, this.#now());
    return epoch;
  }

  #firstSettings(): string | null {
    return this.rows()[0]?.settings_json ?? null;
  }
}

/** Settings out of our own row, written from a GateRules; a damaged one falls back to the configuration. */
function rulesIn(settingsJson: string, config: GateRules): GateRules {
  const json = parseJson(settingsJson);
  return json.ok && typeof json.value === 'object'
    ? { ...gateRulesOf(config), ...json.value }
    : gateRulesOf(config);
}

/** A crash leaves a level spent: an open test counts as not promoted. */
function settled({ outcome }: LedgerRow): LedgerOutcome {
  return outcome === 'open' ? 'not_promoted' : outcome;
}
