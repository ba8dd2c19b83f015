import { type JsonObject, objectOr, storedInteger, text } from '../../foreign/json.js';
import { defineRule } from '../rule.js';
import { sameSubject } from '../shared/explain.js';
import { logNumberIn } from '../shared/log-patterns.js';
import { mayAdvance } from '../shared/tick-gate.js';
import { contention, sessionComputes, shareHolder } from './gpu_health/contended.js';
import { readDevices } from './gpu_health/device.js';
import { lostGpus } from './gpu_health/lost.js';
import { type GpuRoster, missingGpus, nextRoster, parseRoster } from './gpu_health/missing.js';
import { orphanHolders } from './gpu_health/orphans.js';
import { serverFields } from './local_health/config.js';

type State = {
  /** Evaluations in a row with a foreign holder, by GPU. */
  readonly contended: Readonly<Record<string, number>>;
  readonly last_tick: number;
  readonly roster: GpuRoster;
};

/** When a GPU is gone, or its memory belongs to somebody else (spec 04 §11). */
export const gpuHealth = defineRule({
  name: 'gpu_health',
  configSlot: 'gpu_health',
  needs: ['gpu'],
  symptoms: {
    gpu_lost: {
      severities: ['high'],
      subjectKeys: ['gpu_id'],
      nature: 'state',
      meaning:
        'A GPU has fallen off the bus, is listed no more, or needs a reset before anything can run on it.',
      action:
        'Stop what uses the node, then reset the GPU or reboot; resetting one MI300-class GPU resets its whole hive.',
      explains: [
        { row: 1, explains: ['gpu_memory_leaked'], destructive: 'dropped' },
        { row: 1, explains: ['log_error_pattern:root'], when: logNumberIn(28, 29, 30, 31, 32, 51, 52, 53) },
        {
          row: 1,
          explains: ['log_error_pattern:confirmation', 'log_error_pattern:cascade', 'engine_hang'],
        },
        { row: 1, explains: ['local_server_unreachable'], destructive: 'kept' },
        { row: 1, explains: ['gpu_thermal_high'], when: sameSubject('gpu_id') },
      ],
    },
    gpu_contended: {
      severities: ['medium'],
      subjectKeys: ['gpu_id'],
      nature: 'state',
      meaning:
        'Processes of others hold memory on a GPU while this session computes: its measurements are contaminated.',
      action: 'Do not trust measurements taken meanwhile; agree with the owner or move to other GPUs.',
      needs: ['gpu', 'processes'],
      explains: [{ row: 30, explains: ['gpu_contended'], amongSiblings: true, when: shareHolder }],
    },
    gpu_orphan_holder: {
      severities: ['medium'],
      subjectKeys: ['pid'],
      nature: 'state',
      meaning: 'A process of a session that is over still holds GPU memory.',
      action: 'End that one process once its owner agrees.',
    },
  },
  config: {
    gpu_contended_min_mb: {
      type: 'number',
      unit: 'MiB',
      default: 1024,
      doc: 'Holders with less GPU memory are ignored.',
    },
    benchmark_client_patterns: serverFields.benchmark_client_patterns,
  },
  state: { slot: 'gpu_health', parse: parseState },
  evaluate({ context, snapshot, config, state }) {
    const devices = readDevices(snapshot);
    const tick = context.shared_state.tick;
    const isAdvancing = mayAdvance(tick, state.last_tick);
    const roster = nextRoster(state.roster, {
      tool: text(objectOr(snapshot.local_gpu)['tool']) ?? '',
      // A recording of other sources proves nothing by what it leaves out (spec 03 G-13).
      ids: snapshot.collectors === undefined ? [] : devices.map(({ id }) => id),
      mayAdvance: isAdvancing,
    });
    const contended = contention({
      devices,
      counts: state.contended,
      mayAdvance: isAdvancing,
      minMb: config.gpu_contended_min_mb,
      weRun: sessionComputes(snapshot, config.benchmark_client_patterns),
    });
    return {
      symptoms: [
        ...lostGpus(devices, devices.length > 0 ? missingGpus(roster) : [], snapshot),
        ...contended.symptoms,
        ...orphanHolders(devices, context, config.gpu_contended_min_mb),
      ],
      undecided: undecidedOf(
        devices.some(({ holders }) => holders === null),
        contended.undecided,
      ),
      ...(devices.length > 0 && { state: { contended: contended.counts, last_tick: tick, roster } }),
    };
  },
});

function undecidedOf(someHoldersUnknown: boolean, contentionUnknown: boolean): string[] {
  return [
    ...(contentionUnknown ? ['gpu_contended'] : []),
    ...(someHoldersUnknown ? ['gpu_orphan_holder'] : []),
  ];
}

function parseState(raw: JsonObject): State {
  const counts = Object.entries(objectOr(raw['contended'])).map(([id, count]): [string, number] => [
    id,
    Math.max(0, storedInteger(count, 0)),
  ]);
  return {
    contended: Object.fromEntries(counts),
    last_tick: storedInteger(raw['last_tick'], 0),
    roster: parseRoster(raw['roster']),
  };
}
