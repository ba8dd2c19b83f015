import type { Database } from 'better-sqlite3';

/** One pair of calls as it is kept (spec 08 §22). */
export type PairRow = {
  readonly case_id: string;
  readonly segment: string;
  readonly replicate: number;
  readonly order_ab: 'ab' | 'ba';
  readonly score_a: number | null;
  readonly score_b: number | null;
  readonly pass_a: number | null;
  readonly pass_b: number | null;
  readonly error_a: string | null;
  readonly error_b: string | null;
  readonly tokens_a: number;
  readonly tokens_b: number;
  readonly cost_a: number;
  readonly cost_b: number;
  readonly latency_a: number;
  readonly latency_b: number;
  readonly output_sha256_a: string | null;
  readonly output_sha256_b: string | null;
  /** 1: the answer broke the output contract; null: there was none, or the pair is of an older version. */
  readonly violation_a: number | null;
  readonly violation_b: number | null;
  readonly output_tokens_a: number | null;
  readonly output_tokens_b: number | null;
};

/** Where an edit stands. */
export type EditRow = {
  readonly edit_id: string;
  readonly label: string | null;
  readonly iteration: number;
  readonly position: number;
  readonly edit_json: string;
  readonly candidate_sha256: string | null;
  readonly stage: string;
  readonly verdict: string | null;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly report_json: string | null;
};

export type RunRow = {
  readonly run_id: string;
  readonly prompt_id: string;
  readonly seed: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly status: string;
  readonly config_sha256: string;
  readonly budget_usd: number;
  readonly spent_usd: number;
  readonly calls: number;
};

/** An answer that may be used again: only of a provider that is declared deterministic (spec 08 §24.8). */
export type AnswerRow = {
  readonly passed: number;
  readonly score: number;
  readonly output_sha256: string;
  readonly output: string;
  readonly tokens: number;
};

/** What calls cost. */
export type SpendRow = {
  readonly role: string;
  readonly model: string;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly estimated: boolean;
};

/** What of a run something was spent for: `baseline`, `screen`, `confirm`, `sentinels`, `merge` …; with the edit, where there is one. */
export interface SpendPurpose {
  readonly stage: string;
  readonly editId: string | null;
}

/** Cost of one stage of an edit (spec 08 §24.8). */
export type StageCost = {
  readonly stage: string;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
};

const PAIR_COLUMNS = [
  'case_id',
  'segment',
  'replicate',
  'order_ab',
  'score_a',
  'score_b',
  'pass_a',
  'pass_b',
  'error_a',
  'error_b',
  'tokens_a',
  'tokens_b',
  'cost_a',
  'cost_b',
  'latency_a',
  'latency_b',
  'output_sha256_a',
  'output_sha256_b',
  'violation_a',
  'violation_b',
  'output_tokens_a',
  'output_tokens_b',
] as const;

/** Runs, their edits, pairs, answers and costs. Everything a run needs to go on where it was interrupted. */
export class RunStore {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #insertPair;
  readonly #findAnswer;
  readonly #insertAnswer;
  readonly #insertSpend;
  readonly #addToRun;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
    const columns = ['run_id', 'edit_id', 'stage', ...PAIR_COLUMNS];
    this.#insertPair = db.prepare(
      `INSERT OR IGNORE INTO pairs (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
    );
    this.#findAnswer = db.prepare<[string, string, string, number], AnswerRow>(
      'SELECT * FROM answers WHERE model = ? AND prompt_sha256 = ? AND case_sha256 = ? AND replicate = ?',
    );
    this.#insertSpend = db.prepare(
      `INSERT INTO spend (at, run_id, role, model, calls, tokens, usd, estimated, stage, edit_id)
       VALUES (@at, @run_id, @role, @model, @calls, @tokens, @usd, @estimated, @stage, @edit_id)`,
    );
    this.#addToRun = db.prepare(
      'UPDATE runs SET spent_usd = spent_usd + ?, calls = calls + ? WHERE run_id = ?',
    );
    this.#insertAnswer = db.prepare('INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  }

  begin(run: Pick<RunRow, 'run_id' | 'prompt_id' | 'seed' | 'config_sha256' | 'budget_usd'>): RunRow {
    this.#db
      .prepare(
        `INSERT INTO runs (run_id, prompt_id, seed, started_at, status, config_sha256, budget_usd)
         VALUES (@run_id, @prompt_id, @seed, @started_at, 'running', @config_sha256, @budget_usd)
         ON CONFLICT (run_id) DO UPDATE SET status = 'running', ended_at = NULL`,
      )
      .run({ ...run, started_at: this.#now() });
    const row = this.run(run.run_id);
    if (row === null) throw new Error(`the run ${run.run_id} could not be stored`);
    return row;
  }

  run(runId: string): RunRow | null {
    return this.#db.prepare<[string], RunRow>('SELECT * FROM runs WHERE run_id = ?').get(runId) ?? null;
  }

  /** The latest runs of a prompt, newest first. */
  latest(promptId: string, limit: number): RunRow[] {
    return this.#db
      .prepare<[string, number], RunRow>(
        'SELECT * FROM runs WHERE prompt_id = ? ORDER BY started_at DESC, rowid DESC LIMIT ?',
      )
      .all(promptId, limit);
  }

  end(runId: string, status: string): void {
    this.#db
      .prepare('UPDATE runs SET status = ?, ended_at = ? WHERE run_id = ?')
      .run(status, this.#now(), runId);
  }

  spend(runId: string, row: SpendRow, { stage, editId }: Partial<SpendPurpose> = {}): void {
    if (row.calls === 0 && row.usd === 0 && row.tokens === 0) return;
    this.together(() => {
      this.#insertSpend.run({
        ...row,
        at: this.#now(),
        run_id: runId,
        estimated: row.estimated ? 1 : 0,
        stage: stage ?? null,
        edit_id: editId ?? null,
      });
      this.#addToRun.run(row.usd, row.calls, runId);
    });
  }

  /** What a run cost so far, by role. */
  costs(runId: string): SpendRow[] {
    const rows = this.#db
      .prepare<[string], Omit<SpendRow, 'estimated'> & { estimated: number }>(
        `SELECT role, MAX(model) AS model, SUM(calls) AS calls, SUM(tokens) AS tokens, SUM(usd) AS usd,
         MAX(estimated) AS estimated FROM spend WHERE run_id = ? GROUP BY role ORDER BY role`,
      )
      .all(runId);
    return rows.map((row) => ({ ...row, estimated: row.estimated === 1 }));
  }

  /** What an edit cost in a run, stage by stage. */
  editCosts(runId: string, editId: string): StageCost[] {
    return this.#db
      .prepare<[string, string], StageCost>(
        `SELECT stage, SUM(calls) AS calls, SUM(tokens) AS tokens, SUM(usd) AS usd FROM spend
         WHERE run_id = ? AND edit_id = ? AND stage IS NOT NULL GROUP BY stage ORDER BY MIN(rowid)`,
      )
      .all(runId, editId);
  }

  /** US dollars that runs of a prompt spent between two times in Unix seconds, the first included. */
  spentBetween(promptId: string, from: number, to: number): number {
    const row = this.#db
      .prepare<[string, number, number], { usd: number | null }>(
        `SELECT SUM(usd) AS usd FROM spend JOIN runs USING (run_id) WHERE prompt_id = ? AND at >= ? AND at < ?`,
      )
      .get(promptId, from, to);
    return row?.usd ?? 0;
  }

  /** Mean US dollars of a call in a role by earlier runs; null before the first. */
  usdPerCall(role: string, model: string): number | null {
    const row = this.#db
      .prepare<[string, string], { calls: number | null; usd: number | null }>(
        'SELECT SUM(calls) AS calls, SUM(usd) AS usd FROM spend WHERE role = ? AND model = ?',
      )
      .get(role, model);
    return row?.calls ? (row.usd ?? 0) / row.calls : null;
  }

  /** US dollars spent by all runs since a time in Unix seconds. */
  spentSince(at: number): number {
    const row = this.#db
      .prepare<[number], { usd: number | null }>('SELECT SUM(usd) AS usd FROM spend WHERE at >= ?')
      .get(at);
    return row?.usd ?? 0;
  }

  edits(runId: string, iteration?: number): EditRow[] {
    const where = iteration === undefined ? '' : ' AND iteration = @iteration';
    return this.#db
      .prepare<[object], EditRow>(
        `SELECT * FROM edits WHERE run_id = @run_id${where} ORDER BY iteration, position`,
      )
      .all({ run_id: runId, iteration });
  }

  /** Edits of a prompt that were judged in an epoch, by whatever run. */
  editsOfEpoch(promptId: string, epoch: number): EditRow[] {
    return this.#db
      .prepare<[string, number], EditRow>(
        'SELECT * FROM edits WHERE prompt_id = ? AND epoch = ? ORDER BY rowid',
      )
      .all(promptId, epoch);
  }

  /** Reports of the latest judged edits of an epoch, other runs than the given one, oldest first, as JSON. */
  reportsOfEpoch(promptId: string, epoch: number, exceptRun: string, limit: number): string[] {
    return this.#db
      .prepare<[string, number, string, number], { report_json: string }>(
        `SELECT report_json FROM edits WHERE prompt_id = ? AND epoch = ? AND run_id <> ? AND report_json IS NOT NULL
         ORDER BY rowid DESC LIMIT ?`,
      )
      .all(promptId, epoch, exceptRun, limit)
      .map(({ report_json }) => report_json)
      .reverse();
  }

  addEdit(
    row: Pick<EditRow, 'edit_id' | 'label' | 'iteration' | 'position' | 'edit_json'> & {
      readonly run_id: string;
      readonly prompt_id: string;
      readonly epoch: number;
      readonly base_version: number;
      readonly base_sha256: string;
    },
  ): void {
    this.#db
      .prepare(
        `INSERT OR IGNORE INTO edits (edit_id, run_id, prompt_id, epoch, iteration, position, label, base_version,
         base_sha256, edit_json, stage) VALUES (@edit_id, @run_id, @prompt_id, @epoch, @iteration, @position, @label,
         @base_version, @base_sha256, @edit_json, 'proposed')`,
      )
      .run(row);
  }

  updateEdit(
    runId: string,
    editId: string,
    change: Partial<
      Pick<EditRow, 'candidate_sha256' | 'stage' | 'verdict' | 'decision' | 'reason' | 'report_json'>
    >,
  ): void {
    const names = Object.keys(change);
    this.#db
      .prepare(
        `UPDATE edits SET ${names.map((name) => `${name} = @${name}`).join(', ')}
         WHERE run_id = @run_id AND edit_id = @edit_id`,
      )
      .run({ ...change, run_id: runId, edit_id: editId });
  }

  /** How a prompt did on each dev case when edits of it were screened: mean of its answers, by case (of one run, or of all). */
  baseRates(
    promptId: string,
    baseSha256: string,
    runId: string | null = null,
  ): { readonly case_id: string; readonly segment: string; readonly pass: number }[] {
    return this.#db
      .prepare<[object], { case_id: string; segment: string; pass: number }>(
        `SELECT case_id, MAX(segment) AS segment, AVG(pass_a) AS pass FROM pairs JOIN edits USING (run_id, edit_id)
         WHERE edits.prompt_id = @prompt_id AND base_sha256 = @base_sha256 AND pairs.stage = 'screen'
         AND pass_a IS NOT NULL AND (@run_id IS NULL OR run_id = @run_id) GROUP BY case_id ORDER BY case_id`,
      )
      .all({ prompt_id: promptId, base_sha256: baseSha256, run_id: runId });
  }

  pairs(runId: string, editId: string, stage: string): PairRow[] {
    return this.#db
      .prepare<[string, string, string], PairRow>(
        'SELECT * FROM pairs WHERE run_id = ? AND edit_id = ? AND stage = ?',
      )
      .all(runId, editId, stage);
  }

  addPair(runId: string, editId: string, stage: string, pair: PairRow): void {
    this.#insertPair.run({ ...pair, run_id: runId, edit_id: editId, stage });
  }

  answer(model: string, promptSha: string, caseSha: string, replicate: number): AnswerRow | null {
    return this.#findAnswer.get(model, promptSha, caseSha, replicate) ?? null;
  }

  addAnswer(model: string, promptSha: string, caseSha: string, replicate: number, row: AnswerRow): void {
    const { passed, score, output_sha256, output, tokens } = row;
    this.#insertAnswer.run(
      model,
      promptSha,
      caseSha,
      replicate,
      passed,
      score,
      output_sha256,
      output,
      tokens,
    );
  }

  /** Notes that cases were used for an edit. */
  expose(promptId: string, epoch: number, editId: string, caseIds: readonly string[]): void {
    const insert = this.#db.prepare('INSERT OR IGNORE INTO exposures VALUES (?, ?, ?, ?)');
    this.together(() => {
      for (const caseId of caseIds) insert.run(promptId, caseId, epoch, editId);
    });
  }

  /** How often each case of a prompt was used by a confirmation. */
  exposures(promptId: string): Map<string, number> {
    const rows = this.#db
      .prepare<[string], { case_id: string; uses: number }>(
        'SELECT case_id, COUNT(*) AS uses FROM exposures WHERE prompt_id = ? GROUP BY case_id',
      )
      .all(promptId);
    return new Map(rows.map(({ case_id, uses }) => [case_id, uses]));
  }

  retired(promptId: string): Set<string> {
    const rows = this.#db
      .prepare<[string], { case_id: string }>('SELECT case_id FROM retired WHERE prompt_id = ?')
      .all(promptId);
    return new Set(rows.map(({ case_id }) => case_id));
  }

  retire(promptId: string, epoch: number, caseIds: readonly string[]): void {
    const insert = this.#db.prepare('INSERT OR IGNORE INTO retired VALUES (?, ?, ?)');
    this.together(() => {
      for (const caseId of caseIds) insert.run(promptId, caseId, epoch);
    });
  }

  /**
   * One transaction around many small writes; better-sqlite3 is synchronous, so nothing gets between. It takes the right to
   * write at its start: one that reads first and then finds that another process wrote is refused at once, without waiting.
   */
  together<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }
}
