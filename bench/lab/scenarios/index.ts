import type { Scenario } from '../scenario.js';
import { agentFaults } from './faulty/agents.js';
import { clusterFaults } from './faulty/clusters.js';
import { databaseFaults } from './faulty/databases.js';
import { driverFaults } from './faulty/drivers.js';
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
import { soundingScenarios } from './healthy/sounding.js';
import { startingScenarios } from './healthy/starting.js';
import { talkingScenarios } from './healthy/talking.js';
import { terribleScenarios } from './healthy/terrible.js';
import { timingScenarios } from './healthy/timing.js';
import { workingScenarios } from './healthy/working.js';

const FAULTY: readonly Scenario[] = [
  ...serverFaults,
  ...gpuFaults,
  ...driverFaults,
  ...hostFaults,
  ...clusterFaults,
  ...agentFaults,
  ...sessionFaults,
  ...databaseFaults,
  ...kernelFaults,
  ...wordFaults,
  ...combinedFaults,
];

const ALL: readonly Scenario[] = [
  ...ordinaryScenarios,
  ...startingScenarios,
  ...workingScenarios,
  ...lookingScenarios,
  ...talkingScenarios,
  ...soundingScenarios,
  ...terribleScenarios,
  ...timingScenarios,
  ...FAULTY,
  ...slowly(FAULTY),
];

/** Every kind of session that the lab knows; names are unique. */
export const SCENARIOS: readonly Scenario[] = ALL.map((scenario) => ({
  ...scenario,
  isUnseen: scenario.unseen !== undefined,
}));
