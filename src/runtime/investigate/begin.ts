import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { secretValues } from '../../foreign/redact.js';
import type { InvestigateConfig } from '../../investigate/config.js';
import type { HealResult } from '../../investigate/model/heal-result.js';
import type { Receipt } from '../../investigate/model/receipt.js';
import type { Question } from '../../investigate/question.js';
import { readInvestigateConfig } from '../../investigate/read-config.js';
import { investigate } from '../../investigate/run.js';
import { createRedactor } from '../../investigate/safety/redactor.js';
import { createArtefacts } from '../../investigate/store/artefacts.js';
import { investigationId } from '../../investigate/store/paths.js';
import { openSessionFiles } from '../../investigate/tools/session/session.js';
import { sessionTools } from '../../investigate/tools/session/session-tools.js';
import { openSourceRoots, readSourceSlice } from '../../investigate/tools/session/source-slice.js';
import { systemSnapshot } from '../../investigate/tools/session/system-snapshot.js';
import type { Tool } from '../../investigate/tools/tool.js';
import { loadConfig } from '../shared/load-config.js';
import { UserError } from '../shared/user-error.js';
import { abnormalThresholds, machineReading } from './machine-reading.js';
import { sessionDatabase } from './session-database.js';

export interface BeginOptions {
  readonly sessionDir: string | null;
  readonly sessionId: string | null;
  /** Where the files go. */
  readonly root: string;
  readonly question: Question;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly repo: string | null;
  readonly useModel: boolean;
  readonly signal: AbortSignal;
  readonly onReceipt?: (receipt: Receipt) => void;
}

/**
 * One investigation with what this machine, session and environment offer.
 *
 * @throws UserError `RA_CONFIG_INVALID` for settings that cannot be used
 */
export async function beginInvestigation(options: BeginOptions): Promise<HealResult> {
  const { sessionDir, question, env, signal } = options;
  const { config, warnings } = investigateConfig(env);
  const id = investigationId(Date.now() / 1000, randomBytes(4).toString('hex'));
  const roots = openSourceRoots(config.sourceRoots);
  const { config: agent } = loadConfig({ env, cwd: options.cwd, sessionDir });
  const thresholds = abnormalThresholds(agent);
  const local = localTools(options, config, machineReading(sessionDir, agent, env), thresholds);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.maxWallS * 1000)]);
  return investigate({
    investigationId: id,
    question,
    tools: [...local, ...(roots.length > 0 ? [readSourceSlice(roots)] : [])],
    trees: async () => roots.map(({ tree }) => tree),
    redactor: createRedactor(secretValues(env)),
    artefacts: createArtefacts(options.root, id, config.keep),
    config,
    now: () => Date.now() / 1000,
    signal: deadline,
    warnings,
    thresholds,
    ...(options.onReceipt ? { onReceipt: options.onReceipt } : {}),
  });
}

/**
 * The settings of the environment.
 *
 * @throws UserError `RA_CONFIG_INVALID`
 */
export function investigateConfig(env: NodeJS.ProcessEnv): {
  config: InvestigateConfig;
  warnings: readonly string[];
} {
  const { config, errors, warnings } = readInvestigateConfig(env);
  if (errors.length === 0) return { config, warnings };
  throw new UserError({
    code: 'RA_CONFIG_INVALID',
    happened: errors.join('. '),
    todo: 'correct it; docs/configuration.md lists every setting',
  });
}

function localTools(
  { sessionDir, sessionId, question }: BeginOptions,
  config: InvestigateConfig,
  read: ReturnType<typeof machineReading>,
  thresholds: ReturnType<typeof abnormalThresholds>,
): Tool[] {
  const snapshot = systemSnapshot(read, thresholds, question.incidentUnix, config.stateMaxAgeS);
  if (sessionDir === null) return [snapshot];
  const files = openSessionFiles(sessionDir, sessionId ?? basename(sessionDir));
  if (files === undefined) return [snapshot];
  const hostOffsetS = -new Date().getTimezoneOffset() * 60;
  return [...sessionTools(files, sessionDatabase(files.root), hostOffsetS), snapshot];
}

/** Where the files of an investigation without a session go. */
export function defaultOut(cwd: string): string {
  return join(cwd, 'investigations');
}
