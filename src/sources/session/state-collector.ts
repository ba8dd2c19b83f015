import { objectOr } from '../../foreign/json.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../collector.js';
import type { Stop } from '../tools/stop.js';
import { identifyCoordinator } from './coordinator-identity.js';
import { describeMailboxes } from './mailboxes.js';
import { readStateFile } from './state-file.js';
import { describeWal } from './wal-file.js';

/** The files the Coordinator depends on, and the Coordinator itself (spec 02 §5.17, §10.6). */
export const stateCollector: Collector = {
  names: ['state'],
  hostBound: false,
  needsSession: true,
  needs: [],
  budgetMs: () => 1000,
  whenUnknown: { local_state_integrity: {} },
  collect,
};

async function collect(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const { sessionDir, memory, nowUnix, promptDriven, procRoot, config } = env;
  if (sessionDir === null)
    return { verdicts: { state: { status: 'skipped', reason: 'no_session' } }, slots: {} };
  const identity = identifyCoordinator({ sessionDir, env: env.env, promptDriven, procRoot });
  const file = await readStateFile(sessionDir, objectOr(memory['state_json']), nowUnix, signal);
  const facts = {
    coordinator: identity.fact,
    ...(file.state === undefined ? {} : { stateJson: file.state }),
  };
  // Others need the facts also when nobody wants to hear about the files.
  if (!config.state_integrity_enabled) {
    return { verdicts: { state: { status: 'skipped', reason: 'disabled' } }, slots: {}, facts };
  }
  const wal = describeWal(sessionDir, objectOr(memory['wal']));
  return {
    verdicts: { state: file.verdict },
    slots: {
      local_state_integrity: {
        state_json: file.slot,
        wal: wal.slot,
        agents: describeMailboxes(sessionDir),
        coordinator: identity.slot,
      },
    },
    facts,
    memory: { wal: wal.memory, ...(file.memory === undefined ? {} : { state_json: file.memory }) },
  };
}
