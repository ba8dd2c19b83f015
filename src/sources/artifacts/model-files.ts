import { isObject, type JsonObject, parseJson } from '../../foreign/json.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';

/** What a child could read of a model directory; texts are null when the file is missing, and cut at their limits. */
export type ModelFiles = {
  readonly is_directory: boolean;
  readonly config: string | null;
  readonly index_head: string | null;
  /** Sum of the shards; null when there are none, or one could not be looked at. */
  readonly shard_bytes: number | null;
};

/** Bytes of `config.json`, one more than is accepted. */
export const MAX_CONFIG = 2 ** 20;
const INDEX_HEAD = 65_536;
const MAX_SHARDS = 5000;

const SCRIPT = `
const fs = require('node:fs');
const path = require('node:path');
const directory = process.argv[1];
const head = (name, limit) => {
  try {
    const file = path.join(directory, name);
    if (!fs.statSync(file).isFile()) return null;
    const fd = fs.openSync(file, 'r');
    const buffer = Buffer.alloc(limit);
    let filled = 0;
    for (let count = 1; count > 0 && filled < limit; filled += count) {
      count = fs.readSync(fd, buffer, filled, limit - filled, filled);
    }
    return buffer.toString('utf8', 0, filled);
  } catch {
    return null;
  }
};
const shards = () => {
  try {
    const names = fs.readdirSync(directory).filter((name) => name.endsWith('.safetensors')).slice(0, ${MAX_SHARDS});
    const sizes = names.map((name) => fs.statSync(path.join(directory, name)).size);
    return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return null;
  }
};
let isDirectory = false;
try {
  isDirectory = fs.statSync(directory).isDirectory();
} catch {}
process.stdout.write(JSON.stringify({
  is_directory: isDirectory,
  config: isDirectory ? head('config.json', ${MAX_CONFIG + 1}) : null,
  index_head: isDirectory ? head('model.safetensors.index.json', ${INDEX_HEAD}) : null,
  shard_bytes: isDirectory ? shards() : null,
}));
`;

/**
 * Reads what a model directory says, in a child: the directory is the operator's, usually on a network mount, and a call on
 * one that has died never returns. Links are followed. Null when the child did not answer in time.
 */
export async function readModelFiles(
  directory: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number; readonly signal: Stop },
): Promise<ModelFiles | null> {
  const args = ['-e', SCRIPT, '--', directory];
  const outcome = await runTool({ executable: process.execPath, args, ...options });
  const parsed = parseJson(outcome.kind === 'exited' ? outcome.stdout : '');
  return parsed.ok && isObject(parsed.value) ? modelFiles(parsed.value) : null;
}

function modelFiles({ is_directory, config, index_head, shard_bytes }: JsonObject): ModelFiles {
  return {
    is_directory: is_directory === true,
    config: typeof config === 'string' ? config : null,
    index_head: typeof index_head === 'string' ? index_head : null,
    shard_bytes: typeof shard_bytes === 'number' ? shard_bytes : null,
  };
}
