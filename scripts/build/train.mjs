// node train.mjs LOADER DIST DIRECTORY: see code-cache.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Script } from 'node:vm';

const [loader, dist, directory] = process.argv.slice(2);
const load = createRequire(join(dist, 'cli.js'));
const { loadBundle } = load(loader);
const compile = (source, filename) => new Script(source, { filename });
const opened = new Map();
const open = (name) => {
  opened.set(name, loadBundle(join(dist, name), find, compile));
  return opened.get(name);
};
const find = (id) => {
  if (id.startsWith('./tick.')) return open(id.slice(2)).exports;
  return id.startsWith('shared:') ? bundle.exports.shared()[id] : load(id);
};
const bundle = open('tick.js');

const session = join(directory, 'session');
mkdirSync(session);
let turn = 0;

/** The arguments of the next tick, whose request is written; `options` are those of the request. */
function argumentsOf(state, options) {
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
  return ['--request', request, '--out', join(directory, 'emit.json')];
}

/** One tick. */
async function tick(state, options) {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = {
    env: {},
    cwd: directory,
    stdin: process.stdin,
    stdout: nowhere(),
    stderr: nowhere(),
    print: async () => {},
  };
  const code = await bundle.exports.run(argumentsOf(state, options), io);
  if (code !== 0) throw new Error(`training tick ${turn} ended with ${code}`);
}

await tick(['crash_count=0'], { disable_local_probe: true });
await tick(['crash_count=0'], {});
await tick(['crash_count=0'], {});
await tick(['crash_count=3'], { disable_local_probe: true });
await tick(['stop_reason=done'], { disable_local_probe: true });
// The last one as the process's own, which it ends.
bundle.exports.runAndExit(argumentsOf(['crash_count=0'], { disable_local_probe: true }), {
  directory: dist,
  enteredMs: process.uptime() * 1000,
  done: () => {
    for (const [name, { script }] of opened) {
      writeFileSync(join(dist, `${name}.v8cache`), script.createCachedData());
    }
  },
});
