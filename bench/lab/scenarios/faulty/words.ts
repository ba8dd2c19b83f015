import type { Scenario } from '../../scenario.js';
import { runningEngine, STEADY, someMinute } from '../parts.js';
import { LAST_WORDS } from './last-words.js';

/** Engines that die with words of their own: the process is gone, its task fails, a log tells why. */
export const wordFaults: readonly Scenario[] = LAST_WORDS.map(
  ({ name, story, wording, lines: [first = '', ...others], isStamped }) => ({
    name,
    kind: 'faulty',
    story,
    hours: 2.6,
    life: STEADY,
    unseen: { log_error_pattern: wording },
    isLive: true,
    plan: (lab) => {
      const engine = runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        const stamp = isStamped === true ? `${engine.stamp()} ` : '';
        lab.world.log(engine.log, `${stamp}${first}`, ...others);
        lab.life.verdict = () => 'server exited during the run';
        lab.life.stopServer();
        if (lab.life.job !== null) lab.life.finish();
        lab.life.verdict = () => null;
      });
      lab.fault({
        cause: story,
        from,
        until: from + 20,
        right: ['log_error_pattern'],
        company: ['repeated_failure', 'agent_stall', 'local_server_unreachable'],
      });
    },
  }),
);
