import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, objectOr } from '../../foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../collector.js';
import { breathe } from '../tools/breathe.js';
import { listDirectory } from '../tools/list-directory.js';
import { readJsonObject } from '../tools/read-json.js';
import { refusalVerdict } from '../tools/refusal-verdict.js';
import type { Stop } from '../tools/stop.js';
import { emittedVerdicts, judgeBundle } from './judge-bundle.js';

const MAX_BUNDLE = 8 * 2 ** 20;
const BUNDLE = 'judge_bundle.json';

interface Turn {
  readonly name: string;
  readonly mtime: number;
  readonly size: number;
}

/** The Critic's work directory: how large it is, and what its newest turns were given and answered (spec 02 §5.16, §10.7). */
export const criticCollector: Collector = {
  names: ['critic'],
  hostBound: false,
  needsSession: true,
  needs: [],
  budgetMs: () => 2000,
  disabled: (config) => (config.critic_health_enabled ? undefined : 'disabled'),
  whenUnknown: { local_critic_health: {} },
  async collect(env, signal): Promise<CollectorAnswer> {
    const { sessionDir } = env;
    if (sessionDir === null)
      return { verdicts: { critic: { status: 'skipped', reason: 'no_session' } }, slots: {} };
    const root = join(sessionDir, 'critic-workdir');
    const listing = listDirectory(root);
    if (!listing.ok)
      return { verdicts: { critic: refusalVerdict(listing) }, slots: { local_critic_health: {} } };
    const names = listing.entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    const { rows, cached } = await newestTurns(root, names, env, signal);
    return {
      verdicts: { critic: { status: 'ok' } },
      slots: {
        local_critic_health: { recent_judges: rows, workdir_count: names.length, workdir_root: root },
      },
      ...(cached ? { cache: { critic: cached } } : {}),
    };
  },
};

/**
 * The newest turns with a valid bundle, by its modification time: the turn number restarts when the Coordinator resumes.
 * A turn is read again only when its bundle has changed.
 */
async function newestTurns(
  root: string,
  names: readonly string[],
  { config, cache, sessionDir }: CollectorEnv,
  signal: Stop,
): Promise<{ rows: JsonObject[]; cached: JsonObject | undefined }> {
  const known = objectOr(cache['critic']);
  const turns = names
    .flatMap((name) => turnOf(root, name))
    .sort((a, b) => b.mtime - a.mtime || (a.name < b.name ? 1 : -1));
  const rows: JsonObject[] = [];
  const kept: Record<string, JsonObject> = {};
  let isNew = false;
  for (const turn of turns) {
    if (rows.length >= config.critic_health_max_judge_bundles) break;
    await breathe(signal);
    const stored = objectOr(known[turn.name]);
    const isSame =
      stored['mtime'] === turn.mtime && stored['size'] === turn.size && stored['has_emit'] === true;
    const read = isSame ? { row: objectOr(stored['row']), hasEmit: true } : readTurn(root, turn, sessionDir);
    if (!read) continue;
    rows.push(read.row);
    kept[turn.name] = { mtime: turn.mtime, size: turn.size, has_emit: read.hasEmit, row: read.row };
    isNew ||= !isSame && read.hasEmit;
  }
  return { rows, cached: isNew ? kept : undefined };
}

function turnOf(root: string, name: string): Turn[] {
  try {
    const stat = lstatSync(join(root, name, BUNDLE));
    return stat.isFile() ? [{ name, mtime: stat.mtimeMs / 1000, size: stat.size }] : [];
  } catch {
    // A turn without a bundle: pruned meanwhile, or still at work.
    return [];
  }
}

function readTurn(
  root: string,
  turn: Turn,
  sessionDir: string | null,
): { row: JsonObject; hasEmit: boolean } | undefined {
  const limits = { maxBytes: MAX_BUNDLE, root: sessionDir };
  const bundle = readJsonObject(join(root, turn.name, BUNDLE), limits);
  if (!bundle.ok) return undefined;
  const emit = readJsonObject(join(root, turn.name, 'emit.json'), limits);
  const row = {
    turn_dir: turn.name,
    ...judgeBundle(bundle.value),
    mtime: turn.mtime,
    ...emittedVerdicts(emit.ok ? emit.value : {}),
  };
  return { row, hasEmit: emit.ok };
}
