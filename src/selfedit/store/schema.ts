/** `PRAGMA user_version` of what this code writes. */
export const SCHEMA_VERSION = 3;

/** Columns that a table has got since it was first made; added where they are missing. */
export const ADDED_COLUMNS: readonly (readonly [table: string, column: string, type: string])[] = [
  ['spend', 'stage', 'TEXT'],
  ['spend', 'edit_id', 'TEXT'],
  ['pairs', 'violation_a', 'INTEGER'],
  ['pairs', 'violation_b', 'INTEGER'],
  ['pairs', 'output_tokens_a', 'INTEGER'],
  ['pairs', 'output_tokens_b', 'INTEGER'],
  // Parts of the edit by themselves, for whoever asks the database (spec 08 §22).
  ['edits', 'ops_json', "TEXT GENERATED ALWAYS AS (json_extract(edit_json, '$.ops')) VIRTUAL"],
  ['edits', 'section', "TEXT GENERATED ALWAYS AS (json_extract(edit_json, '$.section')) VIRTUAL"],
  ['edits', 'hypothesis', "TEXT GENERATED ALWAYS AS (json_extract(edit_json, '$.hypothesis')) VIRTUAL"],
  ['edits', 'intent', "TEXT GENERATED ALWAYS AS (json_extract(edit_json, '$.intent')) VIRTUAL"],
];

/** The tables of spec 08 §22; statements may run twice. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS traces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_uid TEXT NOT NULL UNIQUE,
  prompt_id TEXT NOT NULL,
  prompt_sha256 TEXT,
  prompt_version INTEGER,
  session_id TEXT,
  case_id TEXT,
  group_id TEXT,
  segment TEXT,
  task_id TEXT NOT NULL,
  task_input TEXT NOT NULL,
  steps TEXT,
  final_output TEXT NOT NULL,
  expected_output TEXT,
  success INTEGER,
  failure_reason TEXT,
  timestamp TEXT NOT NULL,
  processed INTEGER NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL DEFAULT '{}',
  model TEXT,
  temperature REAL,
  score REAL,
  label_source TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cost_usd REAL,
  latency_ms REAL,
  error TEXT,
  lease_owner TEXT,
  lease_until REAL
);
CREATE INDEX IF NOT EXISTS idx_traces_task_id ON traces(task_id);
CREATE INDEX IF NOT EXISTS idx_traces_timestamp ON traces(timestamp);
CREATE INDEX IF NOT EXISTS idx_traces_pending ON traces(prompt_id, processed, success);
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY, prompt_id TEXT NOT NULL, seed INTEGER NOT NULL, started_at REAL NOT NULL, ended_at REAL,
  status TEXT NOT NULL, config_sha256 TEXT NOT NULL, budget_usd REAL NOT NULL, spent_usd REAL NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS edits (
  edit_id TEXT NOT NULL, run_id TEXT NOT NULL, prompt_id TEXT NOT NULL, epoch INTEGER NOT NULL, iteration INTEGER NOT NULL,
  position INTEGER NOT NULL, label TEXT, base_version INTEGER NOT NULL, base_sha256 TEXT NOT NULL, edit_json TEXT NOT NULL,
  candidate_sha256 TEXT, stage TEXT NOT NULL, verdict TEXT, decision TEXT, reason TEXT, report_json TEXT,
  PRIMARY KEY (run_id, edit_id)
);
CREATE INDEX IF NOT EXISTS idx_edits_epoch ON edits(prompt_id, epoch);
CREATE TABLE IF NOT EXISTS pairs (
  run_id TEXT NOT NULL, edit_id TEXT NOT NULL, stage TEXT NOT NULL, case_id TEXT NOT NULL, segment TEXT NOT NULL,
  replicate INTEGER NOT NULL, order_ab TEXT NOT NULL,
  score_a REAL, score_b REAL, pass_a INTEGER, pass_b INTEGER, error_a TEXT, error_b TEXT,
  tokens_a INTEGER, tokens_b INTEGER, cost_a REAL, cost_b REAL, latency_a REAL, latency_b REAL,
  output_sha256_a TEXT, output_sha256_b TEXT,
  PRIMARY KEY (run_id, edit_id, stage, case_id, replicate)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
  model TEXT NOT NULL, prompt_sha256 TEXT NOT NULL, case_sha256 TEXT NOT NULL, replicate INTEGER NOT NULL,
  passed INTEGER NOT NULL, score REAL NOT NULL, output_sha256 TEXT NOT NULL, output TEXT NOT NULL, tokens INTEGER NOT NULL,
  PRIMARY KEY (model, prompt_sha256, case_sha256, replicate)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS alpha_ledger (
  prompt_id TEXT NOT NULL, epoch INTEGER NOT NULL, test_no INTEGER NOT NULL, edit_id TEXT NOT NULL, run_id TEXT NOT NULL,
  alpha REAL NOT NULL, outcome TEXT NOT NULL CHECK (outcome IN ('open', 'promoted', 'not_promoted', 'void')),
  settings_sha256 TEXT NOT NULL, settings_json TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (prompt_id, epoch, test_no)
);
CREATE TABLE IF NOT EXISTS epochs (
  prompt_id TEXT NOT NULL, epoch INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (prompt_id, epoch)
);
CREATE TABLE IF NOT EXISTS retired (
  prompt_id TEXT NOT NULL, case_id TEXT NOT NULL, epoch INTEGER NOT NULL, PRIMARY KEY (prompt_id, case_id)
);
CREATE TABLE IF NOT EXISTS exposures (
  prompt_id TEXT NOT NULL, case_id TEXT NOT NULL, epoch INTEGER NOT NULL, edit_id TEXT NOT NULL,
  PRIMARY KEY (prompt_id, case_id, epoch, edit_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reviews (
  review_id INTEGER PRIMARY KEY AUTOINCREMENT, prompt_id TEXT NOT NULL, edit_id TEXT NOT NULL, state TEXT NOT NULL,
  kind TEXT NOT NULL, reviewer TEXT, note TEXT, at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS review_acts (
  review_id INTEGER NOT NULL, run_id TEXT NOT NULL, kind TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
  is_final INTEGER NOT NULL, log_e REAL NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL, n INTEGER NOT NULL,
  at REAL NOT NULL, PRIMARY KEY (review_id, run_id, kind)
);
CREATE TABLE IF NOT EXISTS shadow_answers (
  review_id INTEGER NOT NULL, trace_uid TEXT NOT NULL, answer TEXT, is_broken INTEGER NOT NULL, error TEXT, at REAL NOT NULL,
  PRIMARY KEY (review_id, trace_uid)
);
CREATE TABLE IF NOT EXISTS live (
  prompt_id TEXT NOT NULL, version INTEGER NOT NULL, trace_uid TEXT NOT NULL UNIQUE, outcome INTEGER NOT NULL, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_live ON live(prompt_id, version, at);
CREATE TABLE IF NOT EXISTS spend (
  at REAL NOT NULL, run_id TEXT NOT NULL, role TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,
  tokens INTEGER NOT NULL, usd REAL NOT NULL, estimated INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_spend_at ON spend(at);
CREATE INDEX IF NOT EXISTS idx_spend_run ON spend(run_id);
CREATE TABLE IF NOT EXISTS embeddings (
  model TEXT NOT NULL, text_sha256 TEXT NOT NULL, vector BLOB NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (model, text_sha256)
) WITHOUT ROWID;
`;
