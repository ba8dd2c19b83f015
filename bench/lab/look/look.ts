import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import type { SlotValues } from '../../../src/sources/collector.js';
import { COLLECTORS } from '../../../src/sources/registry.js';
import { mergeSlots } from '../../../src/sources/slots.js';
import {
  COLLECTOR_NAMES,
  type CollectorName,
  type CollectorReport,
  emptySnapshot,
  type Snapshot,
} from '../../../src/sources/snapshot.js';
import type { LabWorld } from '../world/world.js';
import { lookAtBus } from './bus.js';
import { lookAtKernel } from './kernel.js';
import { lookAtLogs } from './logs.js';
import { lookAtGpus, lookAtHealth, lookAtProcesses } from './machine.js';
import { lookAtRay } from './ray.js';
import { lookAtState } from './session.js';

/** What one kind of look brought: slots, and memory for the next look under the keys of `sources`. */
export interface Look {
  readonly slots: SlotValues;
  readonly memory?: JsonObject;
}

export interface Seen {
  readonly snapshot: Snapshot;
  /** New slot `sources` of the detector state. */
  readonly memory: JsonObject;
}

type Looker = (world: LabWorld, memory: JsonObject) => Look;

const direct =
  (slot: keyof LabWorld['slots']): Looker =>
  ({ slots }) => ({ slots: { [slot]: structuredClone(slots[slot]) } });

/** Who looks at what; a name that stands beside another one is answered by that one. */
const LOOKERS: { readonly [name in CollectorName]?: Looker } = {
  events: lookAtBus,
  processes: lookAtProcesses,
  gpu: lookAtGpus,
  health: lookAtHealth,
  logs: lookAtLogs,
  state: lookAtState,
  disk: direct('local_disk'),
  memory: direct('local_memory'),
  kernel: lookAtKernel,
  shm: direct('local_shm'),
  ray: lookAtRay,
  fd: direct('local_fd'),
  aiter: direct('local_aiter_jit'),
  audit: direct('local_decision_audit'),
  manifest: direct('local_manifest'),
  model_config: direct('local_model_config'),
  breakdown: direct('local_kernel_breakdown'),
  critic: (world) => ({ slots: criticSlots(world) }),
  gateway: externalPart('gateway', {}),
  mounts: externalPart('mounts', []),
  tracelens: externalPart('tracelens_cli', {}),
};

/**
 * The snapshot that the collectors would take of this world. What a blind collector leaves is its own `whenUnknown`; log
 * judging, engine samples and health streaks are those of the product.
 */
export function look(world: LabWorld, memory: JsonObject): Seen {
  let slots: SlotValues = {};
  let next: JsonObject = memory;
  for (const collector of COLLECTORS) slots = mergeSlots([slots, collector.whenUnknown]);
  const reports: { [name in CollectorName]?: CollectorReport } = {};
  for (const collector of COLLECTORS) {
    for (const name of collector.names) {
      const blind = world.blind.get(name);
      reports[name] = {
        status: blind ?? 'ok',
        reason: '',
        ms: 3,
        detail: world.blindDetails.get(name) ?? '',
      };
      const looker = LOOKERS[name];
      if (blind !== undefined || looker === undefined) continue;
      const seen = looker(world, memory);
      slots = mergeSlots([slots, seen.slots]);
      next = { ...next, ...seen.memory };
    }
  }
  const trouble = COLLECTOR_NAMES.filter((name) =>
    ['timeout', 'error'].includes(reports[name]?.status ?? ''),
  );
  return {
    snapshot: {
      ...emptySnapshot(),
      ...slots,
      collectors: reports,
      collected_unix: world.now,
      sources_used: ['local-probe'],
      degraded_reason: trouble.length === 0 ? null : trouble.join('; '),
    },
    memory: next,
  };
}

function externalPart(key: 'gateway' | 'mounts' | 'tracelens_cli', fallback: JsonObject | []): Looker {
  return ({ slots }) => ({
    slots: { local_external_deps: { [key]: objectOr(slots.local_external_deps)[key] ?? fallback } },
  });
}

function criticSlots({ judges, criticWorkdirs, sessionDir }: LabWorld): SlotValues {
  return {
    local_critic_health: {
      recent_judges: judges.slice(0, 20),
      workdir_count: criticWorkdirs,
      workdir_root: `${sessionDir}/critic-workdir`,
    },
  };
}
