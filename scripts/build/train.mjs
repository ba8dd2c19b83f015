// node train.mjs LOADER DIST DIRECTORY: see code-cache.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';

const [loader, dist, directory] = process.argv.slice(2);
const load = createRequire(join(dist, 'cli.js'));
const { loadBundle } = load(loader);
const bundle = loadBundle(join(dist, 'tick.js'), load, []);

const session = join(directory, 'session');
mkdirSync(session);
let turn = 0;

/** One tick; `options` are those of the request. */
async function tick(state, options) {
  turn += 1;
  const request = join(directory, 'request.json');
  const raw_prompt = `=== Shared session state ===\n${state.join('\n')}\ntick=${turn}\n`;
  writeFileSync(
    request,
    JSON.stringify({
      kind: 'coordinator_inbox',
      session_id: 'training',
      raw_prompt,
      context: { tick_index: turn },
      options: { session_dir: session, llm_rca_enabled: false, ...options },
    }),
  );
  const out = join(directory, 'emit.json');
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = {
    env: {},
    cwd: directory,
    stdin: process.stdin,
    stdout: nowhere(),
    stderr: nowhere(),
    print: async () => {},
  };
  const code = await bundle.exports.run(['--request', request, '--out', out], io);
  if (code !== 0) throw new Error(`training tick ${turn} ended with ${code}`);
}

await tick(['crash_count=0'], { disable_local_probe: true });
await tick(['crash_count=0'], {});
await tick(['crash_count=0'], {});
await tick(['crash_count=3'], { disable_local_probe: true });
writeFileSync(join(dist, 'tick.v8cache'), bundle.compiled());
