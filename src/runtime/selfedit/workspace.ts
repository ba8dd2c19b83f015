import { readFileSync } from 'node:fs';
import { isObject, parseJson } from '../../foreign/json.js';
import type { Case, PromptId } from '../../selfedit/cases/case.js';
import { loadCases } from '../../selfedit/cases/case-files.js';
import { CaseSet } from '../../selfedit/cases/case-set.js';
import type { SelfeditConfig } from '../../selfedit/config/fields.js';
import { parseSelfeditConfig } from '../../selfedit/config/parse-config.js';
import { type SelfeditPaths, selfeditPaths } from '../../selfedit/paths.js';
import { type CurrentPrompt, PromptRegistry, type WriteOutcome } from '../../selfedit/registry/registry.js';
import { EmbeddingStore } from '../../selfedit/store/embedding-store.js';
import { LedgerStore } from '../../selfedit/store/ledger-store.js';
import { LiveStore } from '../../selfedit/store/live-store.js';
import { openStore } from '../../selfedit/store/open-store.js';
import { ReviewStore } from '../../selfedit/store/review-store.js';
import { RunStore } from '../../selfedit/store/run-store.js';
import { ShadowStore } from '../../selfedit/store/shadow-store.js';
import { TraceStore } from '../../selfedit/store/trace-store.js';
import type { CommandIo } from '../shared/command.js';
import { loadConfig } from '../shared/load-config.js';
import { stateDir } from '../shared/state-dir.js';
import { UserError } from '../shared/user-error.js';
import type { CommonOptions } from './options.js';

/** What a sub-command works with, before it opens anything. */
export interface Workspace {
  readonly promptId: PromptId;
  readonly config: SelfeditConfig;
  readonly paths: SelfeditPaths;
  readonly registry: PromptRegistry;
}

/** Everything in the database. */
export interface Stores {
  readonly traces: TraceStore;
  readonly runs: RunStore;
  readonly ledger: LedgerStore;
  readonly reviews: ReviewStore;
  readonly live: LiveStore;
  readonly shadow: ShadowStore;
  readonly embeddings: EmbeddingStore;
  close(): void;
}

/**
 * Configuration, paths and registry of a sub-command; opens no file for writing.
 *
 * @throws UserError `RA_SELFEDIT_CONFIG` naming every setting that is not usable
 */
export function workspace(options: CommonOptions, io: CommandIo): Workspace {
  const env = options.config === undefined ? io.env : { ...io.env, ROBUSTNESS_CONFIG: options.config };
  const { file } = loadConfig({ env, cwd: io.cwd, sessionDir: null });
  const reading = parseSelfeditConfig(file === null ? undefined : sectionOf(file));
  if (!reading.ok) {
    throw new UserError({
      code: 'RA_SELFEDIT_CONFIG',
      happened: reading.problems.join('. '),
      todo: `correct the section selfedit of ${file}`,
    });
  }
  const paths = selfeditPaths(stateDir({ env, cwd: io.cwd }));
  const registry = new PromptRegistry({ directory: paths.registry(options.promptId), lock: paths.lock });
  return { promptId: options.promptId, config: reading.config, paths, registry };
}

function sectionOf(file: string): unknown {
  const json = parseJson(readFileSync(file, 'utf8'));
  return json.ok && isObject(json.value) ? json.value['selfedit'] : undefined;
}

/** @throws UserError `RA_SELFEDIT_STORE` when the database cannot be used */
export async function openStores({ paths, promptId }: Workspace, path = paths.database): Promise<Stores> {
  const opened = await openStore(path);
  if (!opened.ok) {
    throw new UserError({
      code: 'RA_SELFEDIT_STORE',
      happened: `the database ${path} cannot be used: ${opened.problem}`,
      todo: 'check its rights, and that better-sqlite3 is installed (robustness-agent doctor)',
    });
  }
  const { db } = opened;
  const now = (): number => Date.now() / 1000;
  return {
    traces: new TraceStore(db, now),
    runs: new RunStore(db, now),
    ledger: new LedgerStore(db, promptId, now),
    reviews: new ReviewStore(db, now),
    live: new LiveStore(db, now),
    shadow: new ShadowStore(db, now),
    embeddings: new EmbeddingStore(db, now),
    close: () => db.close(),
  };
}

/** The current version. @throws UserError `RA_SELFEDIT_STATE` when there is none */
export function currentPrompt({
  registry,
  promptId,
}: Pick<Workspace, 'registry' | 'promptId'>): CurrentPrompt {
  const current = registry.current();
  if (current !== null) return current;
  const [first] = registry.problems();
  throw new UserError({
    code: 'RA_SELFEDIT_STATE',
    happened:
      first === undefined ? `the prompt ${promptId} has no version yet` : `the registry is damaged: ${first}`,
    todo:
      first === undefined
        ? `run: robustness-agent selfedit init --prompt-id ${promptId}`
        : 'run: robustness-agent selfedit validate',
  });
}

/** The cases of the prompt. @throws UserError `RA_SELFEDIT_CASES` when one cannot be read */
export function casesOf({ paths, promptId }: Workspace, classes: readonly string[]): readonly Case[] {
  const { cases, problems } = loadCases(paths.cases(promptId), promptId, new Set(classes));
  if (problems.length === 0) return cases;
  throw new UserError({
    code: 'RA_SELFEDIT_CASES',
    happened: `${problems.length} cases cannot be used: ${problems.slice(0, 3).join('; ')}`,
    todo: 'see all with: robustness-agent selfedit cases check',
  });
}

/** Cases by split, with what earlier epochs retired. */
export function splitCases(cases: readonly Case[], runs: RunStore, promptId: string): CaseSet {
  return new CaseSet(cases, runs.retired(promptId));
}

/** @throws UserError `RA_SELFEDIT_STATE` when a write to the registry did not happen */
export function demandWrite(outcome: WriteOutcome): number {
  if (outcome.ok) return outcome.version;
  throw new UserError({ code: 'RA_SELFEDIT_STATE', happened: outcome.detail, todo: 'nothing was changed' });
}
