import { playFast } from './fast.js';
import { seedOf } from './random.js';
import { SCENARIOS } from './scenarios/index.js';
import { scoreRun } from './score.js';

export async function main(argv: readonly string[]): Promise<void> {
  const t = performance.now();
  for (const s of SCENARIOS) {
    if (argv[0] && !s.name.includes(argv[0]) && s.kind !== argv[0]) continue;
    const names = new Map<string, number>();
    let n = 0;
    let found = 0,
      all = 0;
    const delays: number[] = [];
    const al: number[] = [];
    for (let i = 0; i < 5; i++) {
      const run = playFast(s, seedOf(1, s.name, i));
      const score = scoreRun(run);
      n += run.ticks.length;
      for (const f of score.faults) {
        all++;
        if (f.found) {
          found++;
          delays.push(f.delayTicks ?? 0);
          al.push(f.alertsInFirstHour);
        }
      }
      for (const w of score.wrong) {
        const k = `WRONG ${w.severity} ${w.name}`;
        names.set(k, (names.get(k) ?? 0) + 1);
        if (argv[1]) console.log(Math.round((w.at - run.startUnix) / 60), w.severity, w.name, w.summary);
      }
      for (const w of score.wrongDestructive) {
        const k = `DESTRUCTIVE ${w.destructive}`;
        names.set(k, (names.get(k) ?? 0) + 1);
      }
      for (const w of score.escalationsLost) {
        const k = `LOST ${w}`;
        names.set(k, (names.get(k) ?? 0) + 1);
      }
      if (argv[1] === 'vv')
        for (const w of score.right)
          console.log(
            i,
            Math.round((w.at - run.startUnix) / 60),
            w.severity,
            w.name,
            w.summary,
            String(w.destructive),
          );
    }
    console.log(
      s.name,
      n,
      s.kind === 'faulty' ? `${found}/${all} delay ${delays.join(' ')} alerts ${al.join(' ')}` : '',
      [...names].map(([k, v]) => `${k} x${v}`).join(', '),
    );
  }
  console.log(performance.now() - t);
}
