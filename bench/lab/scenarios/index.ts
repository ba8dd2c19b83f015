import type { Scenario } from '../scenario.js';
import { agentFaults } from './faulty/agents.js';
import { clusterFaults } from './faulty/clusters.js';
import { gpuFaults } from './faulty/gpus.js';
import { hostFaults } from './faulty/hosts.js';
import { kernelFaults } from './faulty/kernels.js';
import { serverFaults } from './faulty/servers.js';
import { sessionFaults } from './faulty/sessions.js';
import { slowly } from './faulty/slow.js';
import { combinedFaults } from './faulty/together.js';
import { wordFaults } from './faulty/words.js';
import { lookingScenarios } from './healthy/looking.js';
import { ordinaryScenarios } from './healthy/ordinary.js';
import { startingScenarios } from './healthy/starting.js';
import { talkingScenarios } from './healthy/talking.js';
import { timingScenarios } from './healthy/timing.js';
import { workingScenarios } from './healthy/working.js';

const FAULTY: readonly Scenario[] = [
  ...serverFaults,
  ...gpuFaults,
  ...hostFaults,
  ...clusterFaults,
  ...agentFaults,
  ...sessionFaults,
  ...kernelFaults,
  ...wordFaults,
  ...combinedFaults,
];

/** Every kind of session that the lab knows; names are unique. */
export const SCENARIOS: readonly Scenario[] = [
  ...ordinaryScenarios,
  ...startingScenarios,
  ...workingScenarios,
  ...lookingScenarios,
  ...talkingScenarios,
  ...timingScenarios,
  ...FAULTY,
  ...slowly(FAULTY),
];
