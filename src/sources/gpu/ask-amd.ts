import type { CollectorEnv } from '../collector.js';
import { findExecutable } from '../tools/find-executable.js';
import { runTool, type ToolOutcome } from '../tools/run-tool.js';
import { abortSignal, LazyStop, type Stop } from '../tools/stop.js';
import {
  isAmdSmiUsageError,
  parseAmdSmiLimits,
  parseAmdSmiMetric,
  parseAmdSmiProcesses,
  type ToolHolder,
} from './amd-smi.js';
import { mergeListings, type NamedListing } from './merge.js';
import type { GpuObservation, TemperatureLimits } from './reading.js';
import { parseRocmSmiCsv, parseRocmSmiJson } from './rocm-smi.js';
import {
  exitNote,
  finishedOutput,
  type SourceTrouble,
  troubleOf,
  type VendorAnswer,
} from './source-answer.js';

/** How long amd-smi may be silent before rocm-smi is asked as well, ms; both wait for the same lock (spec 02 §10.2). */
const HEAD_START_MS = 2000;
/** Where ROCm installs its tools, also when nobody has put that on the path. */
const ROCM_BIN = '/opt/rocm/bin';
const ROCM_SMI_ARGS = ['--showuse', '--showmemuse', '--showmeminfo', 'vram', '--showtemp', '--showpower'];
const METRIC_ARGS = ['metric', '--usage', '--mem-usage', '--power', '--temperature', '--json'];

/** Critical temperatures by device. */
export type DeviceLimits = ReadonlyMap<number, TemperatureLimits>;

/** The answer of the AMD sources, with the limits to remember when the tool was asked for them. */
export type AmdAnswer = VendorAnswer & { readonly statedLimits?: DeviceLimits };

/** What the AMD tools are asked beyond the metrics. */
export interface AmdQuestion {
  readonly env: CollectorEnv['env'];
  /** Aborted when the answer has to stand. */
  readonly signal: Stop;
  readonly sysfs: Promise<readonly GpuObservation[] | undefined>;
  /** What the devices have stated before; undefined = not asked yet. */
  readonly knownLimits: DeviceLimits | undefined;
  /** True when the kernel shows the holders, so that no tool need be asked. */
  readonly hasKernelHolders: Promise<boolean>;
}

interface ToolListing {
  readonly listing: NamedListing | undefined;
  readonly troubles: readonly SourceTrouble[];
  readonly raw?: string | undefined;
}

/** All AMD sources as one answer: amd-smi, rocm-smi when that is slow, missing or broken, sysfs for the gaps. */
export async function askAmd(question: AmdQuestion): Promise<AmdAnswer> {
  const path = `${question.env['PATH'] ?? ''}:${ROCM_BIN}`;
  const amdSmi = findExecutable('amd-smi', path);
  const rocmSmi = findExecutable('rocm-smi', path);
  const isOver = new LazyStop();
  const [tools, sysfs] = await Promise.all([
    amdSmi === null && rocmSmi === null ? [] : askTools(amdSmi, rocmSmi, endingWith(question, isOver)),
    question.sysfs,
  ]);
  // Whoever has not answered by now is not needed, and holds the lock that the next question waits for.
  isOver.abort(new Error('not needed any more'));
  const listings = tools.flatMap((tool) => tool.listing ?? []);
  if (sysfs) listings.push({ tool: 'sysfs', devices: sysfs });
  const merged = mergeListings(listings);
  const extra = listings.some((listing) => listing.tool === 'amd-smi') ? amdSmi : null;
  const answer = {
    toolHolders: extra && !(await question.hasKernelHolders) ? await holders(extra, question) : undefined,
    lost: [],
    troubles: tools.flatMap((tool) => tool.troubles),
    raw: tools.find((tool) => tool.raw !== undefined)?.raw,
  };
  if (!merged || !extra || merged.devices.some((device) => device.limits))
    return { listing: merged, ...answer };
  const limits = question.knownLimits ?? (await statedLimits(extra, question));
  const devices = merged.devices.map((device) => withLimits(device, limits?.get(device.gpu_id)));
  return { listing: { ...merged, devices }, ...answer, ...(limits ? { statedLimits: limits } : {}) };
}

function endingWith(question: AmdQuestion, isOver: LazyStop): AmdQuestion {
  return { ...question, signal: AbortSignal.any([abortSignal(question.signal), isOver.signal]) };
}

async function askTools(
  amdSmi: string | null,
  rocmSmi: string | null,
  question: AmdQuestion,
): Promise<ToolListing[]> {
  if (amdSmi === null) return rocmSmi === null ? [] : [await askRocmSmi(rocmSmi, question)];
  const first = askAmdSmi(amdSmi, question);
  if (rocmSmi === null) return [await first];
  const early = await Promise.race([first, silence(question.signal)]);
  if (early?.listing) return [early];
  const second = askRocmSmi(rocmSmi, question);
  if (early) return [early, await second];
  return await bothUntilOneLists(first, second);
}

/** Whichever of two running tools lists devices first; the other one is not waited for. */
function bothUntilOneLists(
  first: Promise<ToolListing>,
  second: Promise<ToolListing>,
): Promise<ToolListing[]> {
  return new Promise((resolve) => {
    const finished: ToolListing[] = [];
    const add = (listing: ToolListing) => {
      finished.push(listing);
      if (listing.listing || finished.length === 2) resolve([...finished]);
    };
    first.then(add);
    second.then(add);
  });
}

function silence(signal: Stop): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), HEAD_START_MS);
    timer.unref();
    abortSignal(signal).addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

async function askAmdSmi(executable: string, question: AmdQuestion): Promise<ToolListing> {
  let outcome = await run(executable, METRIC_ARGS, question);
  if (outcome.kind === 'exited' && isAmdSmiUsageError(outcome.code, outcome.stderr + outcome.stdout)) {
    outcome = await run(executable, ['metric', '--json'], question);
  }
  const devices = parseAmdSmiMetric(finishedOutput(outcome));
  return devices
    ? { listing: { tool: 'amd-smi', devices }, troubles: exitNote('amd-smi', outcome) }
    : { listing: undefined, troubles: [troubleOf('amd-smi', outcome)] };
}

async function askRocmSmi(executable: string, question: AmdQuestion): Promise<ToolListing> {
  const csv = await run(executable, [...ROCM_SMI_ARGS, '--csv'], question);
  const fromCsv = parseRocmSmiCsv(finishedOutput(csv));
  if (fromCsv)
    return { listing: { tool: 'rocm-smi', devices: fromCsv }, troubles: exitNote('rocm-smi', csv) };
  if (csv.kind !== 'exited') return { listing: undefined, troubles: [troubleOf('rocm-smi', csv)] };
  const json = await run(executable, [...ROCM_SMI_ARGS, '--json'], question);
  const fromJson = parseRocmSmiJson(finishedOutput(json));
  if (fromJson)
    return { listing: { tool: 'rocm-smi', devices: fromJson }, troubles: exitNote('rocm-smi', json) };
  const raw = csv.code === 0 && csv.stdout.trim() !== '' ? csv.stdout : undefined;
  return { listing: undefined, troubles: [troubleOf('rocm-smi', csv)], raw };
}

async function holders(
  executable: string,
  question: AmdQuestion,
): Promise<readonly ToolHolder[] | undefined> {
  const outcome = await run(executable, ['process', '--json'], question);
  return outcome.kind === 'exited' ? parseAmdSmiProcesses(outcome.stdout) : undefined;
}

/** Limits that the devices state; asked only when sysfs shows none, and only once. */
async function statedLimits(executable: string, question: AmdQuestion): Promise<DeviceLimits | undefined> {
  const outcome = await run(executable, ['static', '--limit', '--json'], question);
  return outcome.kind === 'exited' ? parseAmdSmiLimits(outcome.stdout) : undefined;
}

function withLimits(device: GpuObservation, limits: TemperatureLimits | undefined): GpuObservation {
  return limits ? { ...device, limits } : device;
}

function run(
  executable: string,
  args: readonly string[],
  { env, signal }: AmdQuestion,
): Promise<ToolOutcome> {
  // The signal is the limit; the number only has to be larger.
  return runTool({ executable, args, env, timeoutMs: 60_000, signal });
}
