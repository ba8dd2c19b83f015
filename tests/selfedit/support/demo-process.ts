// Runs the demo in a process of its own: STATE_DIRECTORY SEED [POINT at which to die]
import { runDemo } from '../../../src/selfedit/demo/run-demo.js';
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
  const [point = '', count = '1'] = (dieAt ?? '').split(':');
  const mayDie = (at: string): void => {
    if (point !== '' && at === point && ++seen === Number(count)) process.kill(process.pid, 'SIGKILL');
  };
  const report = await runDemo({
    seed: Number(seed),
    churn: 0,
    directory,
    db: opened.db,
    onProgress: ({ what }) => mayDie(POINTS.find(([start]) => what.startsWith(start))?.[1] ?? ''),
    onStep: mayDie,
  });
  process.stdout.write(JSON.stringify(report));
}

void main();
