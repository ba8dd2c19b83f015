import type { CollectorEnv } from '../collector.js';
import { findExecutable } from '../tools/find-executable.js';
import { runTool, type ToolOutcome } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';
import type { ToolHolder } from './amd-smi.js';
import { mergeListings } from './merge.js';
import {
  NVIDIA_BASIC_COLUMNS,
  NVIDIA_COLUMNS,
  type NvidiaApp,
  parseNvidiaApps,
  parseNvidiaQuery,
} from './nvidia-smi.js';
import type { GpuObservation } from './reading.js';
import { exitNote, finishedOutput, troubleOf, type VendorAnswer } from './source-answer.js';

const FORMAT = '--format=csv,noheader,nounits';
const NO_ANSWER = {
  listing: undefined,
  toolHolders: undefined,
  lost: [],
  troubles: [],
  raw: undefined,
} as const;

/** What nvidia-smi says, asked once more for less when the release does not know a column. */
export async function askNvidia(env: CollectorEnv['env'], signal: Stop): Promise<VendorAnswer> {
  const executable = findExecutable('nvidia-smi', env['PATH']);
  if (executable === null) return NO_ANSWER;
  const run = (query: string): Promise<ToolOutcome> =>
    runTool({ executable, args: [query, FORMAT], env, timeoutMs: 60_000, signal });

  let columns: readonly string[] = NVIDIA_COLUMNS;
  let outcome = await run(`--query-gpu=${columns.join(',')}`);
  if (outcome.kind === 'exited' && /not a valid field/i.test(outcome.stdout + outcome.stderr)) {
    columns = NVIDIA_BASIC_COLUMNS;
    outcome = await run(`--query-gpu=${columns.join(',')}`);
  }
  // A device that is lost is named on either stream, depending on the release.
  const stderr = outcome.kind === 'exited' ? outcome.stderr : '';
  const { devices, lost } = parseNvidiaQuery(`${finishedOutput(outcome)}\n${stderr}`, columns);
  if (devices.length === 0) return { ...NO_ANSWER, lost, troubles: [troubleOf('nvidia-smi', outcome)] };
  const apps = await run('--query-compute-apps=gpu_uuid,pid,used_memory');
  const listed = apps.kind === 'exited' && apps.code === 0 ? parseNvidiaApps(apps.stdout) : undefined;
  return {
    listing: mergeListings([{ tool: 'nvidia-smi', devices }]),
    toolHolders: listed && holdersOf(listed, devices),
    lost,
    troubles: exitNote('nvidia-smi', outcome),
    raw: undefined,
  };
}

/** Undefined when an app runs on something that is no listed device, such as a MIG slice: then the list has gaps. */
function holdersOf(
  apps: readonly NvidiaApp[],
  devices: readonly GpuObservation[],
): readonly ToolHolder[] | undefined {
  const idOf = new Map(devices.map((device) => [device.uuid, device.gpu_id]));
  const holders = apps.flatMap(({ uuid, pid, vram_mb }) => {
    const gpu_id = idOf.get(uuid);
    return gpu_id === undefined ? [] : [{ gpu_id, pid, vram_mb }];
  });
  return holders.length === apps.length ? holders : undefined;
}
