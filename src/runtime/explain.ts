import { type JsonObject, objectOr } from '../foreign/json.js';
import { LADDER_SLOT } from '../reactor/decide-tick.js';
import { findingsFiles } from '../reactor/findings/read-findings.js';
import { statePath } from '../reactor/store/paths.js';
import { loadSilences } from '../reactor/store/silences-file.js';
import { RULES } from '../signals/registry.js';
import { readJsonObject } from '../sources/tools/read-json.js';
import { type Explanation, explainKey, explanationJson, type SessionFacts } from './explain/explanation.js';
import { lastPresence } from './explain/last-presence.js';
import { renderExplanation } from './explain/render.js';
import { findingTarget, knownKeys, symptomTargets, type Target } from './explain/targets.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { loadStrictConfig } from './shared/load-config.js';
import { createProgram, runProgram } from './shared/program.js';
import { existingSessionDir, findingsId } from './shared/session-option.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface ExplainOptions {
  readonly sessionDir?: string;
  readonly sessionId?: string;
  readonly config?: string;
  readonly json?: boolean;
}

const MAX_STATE_BYTES = 64 * 1024 * 1024;

const EXAMPLES = `
Examples:
  robustness-agent explain 3f9a01bc --session-dir DIR
  robustness-agent explain disk_pressure --session-dir DIR
`;

/**
 * `explain FINDING|SYMPTOM`: why it was said, or why nothing is said of it; the rule with the thresholds in force, when
 * it is told again, and how to silence it.
 */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('explain', 'Explains a finding, or why a symptom is quiet.', io)
    .argument('<finding>', 'id as in `findings list`, or the name of a symptom')
    .option('--session-dir <dir>', 'session directory (else SESSION_DIR)')
    .option('--session-id <id>', "whose findings (else the directory's name)")
    .option('--config <file>', 'configuration whose thresholds to show')
    .option('--json', 'one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: ExplainOptions) => explain(name, options, io));
  return runProgram(program, argv, io);
};

async function explain(name: string, options: ExplainOptions, io: CommandIo): Promise<void> {
  const sessionDir = existingSessionDir(options.sessionDir, io);
  const id = findingsId(sessionDir, options.sessionId);
  const { config } = loadStrictConfig({ configFlag: options.config, env: io.env, cwd: io.cwd, sessionDir });
  const files = findingsFiles(sessionDir, id);
  const presence = lastPresence(sessionDir, id);
  const { silences, problem } = loadSilences(sessionDir);
  if (problem !== undefined) await writeAll(io.stderr, `${problem}\n`);
  const nowUnix = Date.now() / 1000;

  const tickSlot = ladderSlot(sessionDir, 'tick');
  const targets = await targetsOf(name, files, knownKeys(tickSlot, presence), presence);
  const explanations = targets.map(({ key, finding }) => {
    const rawSlot = finding?.origin === 'run' ? ladderSlot(sessionDir, 'run') : tickSlot;
    const facts: SessionFacts = { sessionDir, config, rawSlot, silences, presence, nowUnix };
    return explainKey(key, finding, facts);
  });
  await writeAll(
    io.stdout,
    explanations.map((one) => shown(one, options, nowUnix, io)).join(options.json ? '' : '\n'),
  );
}

/** @throws UserError `RA_FINDING_UNKNOWN` */
async function targetsOf(
  name: string,
  files: readonly string[],
  known: readonly string[],
  presence: ReturnType<typeof lastPresence>,
): Promise<Target[]> {
  const byId = await findingTarget(name, files, known);
  if (byId !== undefined) return [byId];
  const bySymptom = await symptomTargets(name, files, known, presence);
  if (bySymptom.length > 0) return bySymptom;
  if (RULES.some(({ symptoms }) => Object.hasOwn(symptoms, name))) return [{ key: name, finding: undefined }];
  throw new UserError({
    code: 'RA_FINDING_UNKNOWN',
    happened: `there is no finding and no symptom ${name}`,
    todo: '`findings list` shows the ids, `rules list` the symptoms',
  });
}

/** The ladder's memory, looked at without touching the file. */
function ladderSlot(sessionDir: string, origin: 'tick' | 'run'): JsonObject {
  const read = readJsonObject(statePath(sessionDir, origin), { maxBytes: MAX_STATE_BYTES });
  return read.ok ? objectOr(read.value[LADDER_SLOT]) : {};
}

function shown(explanation: Explanation, options: ExplainOptions, nowUnix: number, io: CommandIo): string {
  if (options.json === true) return `${JSON.stringify(explanationJson(explanation))}\n`;
  const colour = io.stdout.isTTY === true && (io.env['NO_COLOR'] ?? '') === '';
  return `${renderExplanation(explanation, nowUnix, colour)}\n`;
}
