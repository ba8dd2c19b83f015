#!/usr/bin/env node
// What a tick costs above an empty Node: node bench/start-up.mjs [--pairs N] [--check]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inTurn, judge, median, quantile, row } from './lib/numbers.mjs';
import {
  inTempDir,
  peakMib,
  readsCertificates,
  spareCertificates,
  tickArgs,
  wallMs,
} from './lib/processes.mjs';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '60' }, check: { type: 'boolean', default: false } },
});
const EMPTY = 'node -e 0';
const LIMITS = [
  { name: 'tick, probes off', ratio: 1.25 },
  { name: 'tick, probes on', ratio: 1.5 },
];
const PEAK_MIB = 75;

await inTempDir((directory) => {
  const session = join(directory, 'session');
  mkdirSync(session);
  const off = tickArgs(session, { name: 'off', disable_local_probe: true });
  const on = tickArgs(session, { name: 'on' });
  const candidates = { [EMPTY]: ['-e', '0'], 'tick, probes off': off, 'tick, probes on': on };
  const results = measured(candidates);
  if (readsCertificates) {
    console.log('without NODE_EXTRA_CA_CERTS, which adds its time to every start of Node:');
    spareCertificates();
    measured(candidates);
  }
  const peaks = { off: peakMib(off), on: peakMib(on) };
  console.log(row('peak memory, MiB', 'off', 'on'));
  console.log(row('', peaks.off, peaks.on));

  const held = [
    ...LIMITS.map(({ name, ratio }) => judge(name, median(results[name]) / median(results[EMPTY]), ratio)),
    judge('peak memory', Math.max(peaks.off, peaks.on), PEAK_MIB, ' MiB'),
  ];
  if (values.check && held.includes(false)) process.exitCode = 1;
});

function measured(candidates) {
  // The first runs fill caches of the file system.
  for (const args of Object.values(candidates)) wallMs(args);
  const results = inTurn(candidates, Number(values.pairs), wallMs);

  console.log(row('wall time, ms', 'median', 'min', 'max', 'ratio', 'ratio min', 'paired'));
  const empty = results[EMPTY];
  for (const [name, times] of Object.entries(results)) {
    const paired = median(times.map((ms, at) => ms / empty[at]));
    const ratios = [median(times) / median(empty), Math.min(...times) / Math.min(...empty), paired];
    console.log(
      row(
        name,
        median(times),
        quantile(times, 0),
        Math.max(...times),
        ...ratios.map((one) => one.toFixed(3)),
      ),
    );
  }
  return results;
}
