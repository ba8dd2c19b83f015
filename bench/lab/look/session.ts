import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { missingState } from '../../../src/sources/session/state-file.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** State file, write-ahead log, mailboxes and the Coordinator's own process (spec 02 §5.17, §10.6). */
export function lookAtState(world: LabWorld, memory: JsonObject): Look {
  const file = stateFile(world, objectOr(memory['state_json']));
  return {
    memory: { ...(file.memory === undefined ? {} : { state_json: file.memory }) },
    slots: {
      local_state_integrity: {
        state_json: file.slot,
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

/** The file, and what the collector remembers of it. */
function stateFile(
  { state, sessionDir, coordinator, now }: LabWorld,
  remembered: JsonObject,
): { readonly slot: JsonObject; readonly memory?: JsonObject } {
  const path = `${sessionDir}/state.json`;
  if (!state.valid && state.error === 'missing') {
    const { slot, memory } = missingState(remembered, now);
    return { slot: { valid: false, path, error: 'missing', ...slot }, ...(memory && { memory }) };
  }
  if (!state.valid) return { slot: { valid: false, path, error: state.error, size_bytes: state.sizeBytes } };
  const slot = {
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
  return { slot, memory: { last_valid_size: state.sizeBytes, last_valid_mtime: state.mtime } };
}
