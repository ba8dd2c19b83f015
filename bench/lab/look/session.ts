import type { JsonObject } from '../../../src/foreign/json.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** State file, write-ahead log, mailboxes and the Coordinator's own process (spec 02 §5.17, §10.6). */
export function lookAtState(world: LabWorld): Look {
  return {
    slots: {
      local_state_integrity: {
        state_json: stateFile(world),
        wal: {
          db_path: `${world.sessionDir}/storage/coordinator.db`,
          wal_path: `${world.sessionDir}/storage/coordinator.db-wal`,
          db_bytes: world.dbBytes,
          wal_bytes: world.walBytes,
          wal_present: true,
          wal_frames_pending: null,
          previous_wal_bytes: null,
        },
        agents: world.agents,
        coordinator: world.coordinatorProcess,
      },
    },
  };
}

function stateFile({ state, sessionDir, coordinator }: LabWorld): JsonObject {
  const path = `${sessionDir}/state.json`;
  if (!state.valid) {
    const { error, sizeBytes } = state;
    return error === 'missing'
      ? { valid: false, path, error }
      : { valid: false, path, error, size_bytes: sizeBytes };
  }
  return {
    valid: true,
    path,
    size_bytes: state.sizeBytes,
    mtime: state.mtime,
    stop_reason: state.stopReason,
    terminal: false,
    phase: coordinator.phase,
    tick: state.tick,
    deadline_unix: state.deadlineUnix,
    previous_size_bytes: state.previousSizeBytes,
  };
}
