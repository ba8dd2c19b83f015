import { defaultsOf } from '../../../src/foreign/config-field.js';
import { collectSnapshot } from '../../../src/sources/collect.js';
import { sourcesFields } from '../../../src/sources/config.js';

/** One collection as a process of its own, as a tick is: session directory and settings come as arguments. */
const [, , sessionDir = null, settings = '{}'] = process.argv;
const config = { ...defaultsOf(sourcesFields), ...JSON.parse(settings) };
void collectSnapshot({
  sessionDir,
  config,
  env: process.env,
  nowUnix: Date.now() / 1000,
  promptDriven: true,
  memory: {},
  deadline: { signal: new AbortController().signal, remainingMs: () => 15_000 },
}).then(({ snapshot, warnings }) => process.stdout.write(JSON.stringify({ snapshot, warnings })));
