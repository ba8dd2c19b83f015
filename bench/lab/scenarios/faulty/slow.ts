import type { Scenario } from '../../scenario.js';

/** Faults of other scenarios as a Coordinator sees them whose ticks wait for actions, about twenty minutes on average. */
const SEEN_SLOWLY: ReadonlySet<string> = new Set([
  'gpu-lost',
  'junction-too-hot',
  'disk-fills-up',
  'page-fault-on-the-gpu',
  'leak-on-one-of-eight',
  'the-same-payload-again',
  'state-file-torn',
  'key-revoked',
  'host-kills-the-server',
  'front-end-gone',
]);

/** The same sessions with ticks that are far apart (spec 01 §1.1). */
export function slowly(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios
    .filter(({ name }) => SEEN_SLOWLY.has(name))
    .map(({ isLive: _isLive, unseen: _unseen, ...scenario }) => ({
      ...scenario,
      name: `${scenario.name}-slow-ticks`,
      story: `${scenario.story} The agent looks only between actions.`,
      hours: scenario.hours + 2,
      life: { ...scenario.life, cadence: 'coordinator', pause: [1, 4] },
    }));
}
