// Runs the demo in a process of its own: STATE_DIRECTORY SEED [POINT at which to die]. Every call is noted in calls.log first.
import { appendFileSync } from 'node:fs';
import { demoParts, demoSettings } from '../../../src/selfedit/demo/run-demo.js';
import { sha256 } from '../../../src/selfedit/hash.js';
import { runLoop } from '../../../src/selfedit/loop/run-loop.js';
import { openStore } from '../../../src/selfedit/store/open-store.js';

const POINTS = [
  ['screening', 'screen'],
  ['level', 'booked'],
  ['confirming', 'look'],
] as const;

async function main(): Promise<void> {
  const [directory = '', seed = '0', dieAt] = process.argv.slice(2);
  const opened = await openStore(`${directory}/selfedit.db`);
  if (!opened.ok) throw new Error(opened.problem);
  let seen = 0;
  let isBooked = false;
  const [point = '', count = '1'] = (dieAt ?? '').split(':');
  const mayDie = (at: string): void => {
    if (point !== '' && at === point && ++seen === Number(count)) process.kill(process.pid, 'SIGKILL');
  };
  const options = {
    seed: Number(seed),
    churn: 0,
    directory,
    db: opened.db,
    onProgress: ({ what }: { readonly what: string }) => {
      isBooked ||= what.startsWith('level');
      mayDie(POINTS.find(([start]) => what.startsWith(start))?.[1] ?? '');
    },
    onStep: mayDie,
  };
  const parts = await demoParts(options);
  const { executor } = parts;
  const report = await runLoop(
    {
      ...parts,
      executor: {
        ...executor,
        answer(prompt, one, replicate) {
          appendFileSync(`${directory}/calls.log`, `${sha256(prompt)} ${one.case_id}\n`);
          if (isBooked) mayDie('call');
          return executor.answer(prompt, one, replicate);
        },
      },
    },
    demoSettings(options),
  );
  process.stdout.write(JSON.stringify(report));
}

void main();
