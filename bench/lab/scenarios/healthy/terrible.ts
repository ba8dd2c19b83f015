import type { Scenario } from '../../scenario.js';
import { patience, runningEngine, STEADY } from '../parts.js';
import { MORE_TERRIBLE_LINES } from './more-terrible-lines.js';
import { TERRIBLE_LINES } from './terrible-lines.js';

/** Engines that go on serving while their logs say things that look like the end. */
export const terribleScenarios: readonly Scenario[] = [...TERRIBLE_LINES, ...MORE_TERRIBLE_LINES].map(
  ({ name, story, lines }) => ({
    name,
    kind: 'healthy',
    story,
    hours: 5,
    life: STEADY,
    isLive: true,
    plan: (lab) => {
      patience(lab);
      const engine = runningEngine(lab);
      lab.every(4, 3, 300, () =>
        lab.world.log(engine.log, lines[lab.random.whole(0, lines.length - 1)] ?? ''),
      );
    },
  }),
);
