import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finiteNumber, type Json } from '../../../src/foreign/json.js';
import type { LabGpu, RayAnswer } from '../world/types.js';
import type { LabWorld } from '../world/world.js';

const TRACE_TOOLS = [
  'TraceLens_generate_perf_report_pytorch_inference',
  'TraceLens_generate_perf_report_pytorch',
];

/** Executables that a session finds on its path, with the output that the real ones would have now. */
export class LiveTools {
  readonly #written = new Map<string, string>();

  constructor(
    private readonly binDir: string,
    private readonly world: LabWorld,
    /** Real pid of a process of the world. */
    private readonly pidOf: (pid: number) => number | undefined,
  ) {
    for (const tool of TRACE_TOOLS) this.#write(tool, 'exit 0');
  }

  update(): void {
    const { gpus, gpuTool, ray } = this.world;
    if (gpuTool === 'nvidia-smi') this.#nvidia(gpus);
    else this.#amd(gpus);
    if (ray !== null) this.#write('ray', rayScript(ray));
  }

  #amd(gpus: readonly LabGpu[]): void {
    const metric = printed(JSON.stringify(gpus.map(amdMetric)));
    const processes = printed(JSON.stringify(gpus.map((gpu) => this.#amdProcesses(gpu))));
    this.#write('amd-smi', `case "$1" in metric) ${metric} ;; process) ${processes} ;; *) echo '[]' ;; esac`);
    this.#write('nvidia-smi', "echo 'NVIDIA-SMI has failed: no driver'; exit 9");
  }

  #amdProcesses({ id, holders }: LabGpu): Json {
    const list = this.#realHolders(holders).map(({ pid, vramMb }) => ({
      process_info: {
        name: 'python3.12',
        pid,
        memory_usage: { vram_mem: { value: Math.round(vramMb * 2 ** 20), unit: 'B' } },
      },
    }));
    const none = [{ process_info: 'No running processes detected' }];
    return { gpu: id, process_list: list.length > 0 ? list : none };
  }

  #nvidia(gpus: readonly LabGpu[]): void {
    const rows = gpus.map(nvidiaRow);
    const apps = gpus.flatMap((gpu) =>
      this.#realHolders(gpu.holders).map(
        ({ pid, vramMb }) => `${uuidOf(gpu)}, ${pid}, ${Math.round(vramMb)}`,
      ),
    );
    const query = printed(rows.join('\n'));
    this.#write(
      'nvidia-smi',
      `case "$1" in --query-gpu*) ${query} ;; *) ${printed(apps.join('\n'))} ;; esac`,
    );
    for (const tool of ['amd-smi', 'rocm-smi'])
      this.#write(tool, 'echo "Driver not initialized" >&2; exit 1');
  }

  #realHolders(holders: LabGpu['holders']): { pid: number; vramMb: number }[] {
    return (holders ?? []).flatMap((holder) => {
      const pid = this.pidOf(finiteNumber(holder['pid']) ?? 0);
      return pid === undefined ? [] : [{ pid, vramMb: finiteNumber(holder['vram_mb']) ?? 0 }];
    });
  }

  /** Writes an executable unless it is what it was. */
  #write(name: string, script: string): void {
    if (this.#written.get(name) === script) return;
    this.#written.set(name, script);
    const path = join(this.binDir, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
}

function amdMetric({ id, usedMb, totalMb, utilPct, edgeC, junctionC, memoryC }: LabGpu): Json {
  const celsius = (value: number | null) => (value === null ? 'N/A' : { value, unit: 'C' });
  const megabytes = (value: number) => ({ value: Math.round(value), unit: 'MB' });
  return {
    gpu: id,
    usage: { gfx_activity: { value: utilPct, unit: '%' } },
    temperature: { edge: celsius(edgeC), hotspot: celsius(junctionC), mem: celsius(memoryC) },
    mem_usage: { total_vram: megabytes(totalMb), used_vram: megabytes(usedMb) },
  };
}

/** The columns that the product asks for, in its order. */
function nvidiaRow(gpu: LabGpu): string {
  const { id, usedMb, totalMb, utilPct, edgeC, extra } = gpu;
  const bus = `00000000:${(0x18 + id * 8).toString(16).toUpperCase()}:00.0`;
  const broken = { lost: '[GPU is lost]', reset_required: '[GPU requires reset]' }[
    String(extra['error_kind'])
  ];
  const seven =
    broken === undefined
      ? [utilPct, 0, edgeC ?? '[N/A]', Math.round(usedMb), Math.round(totalMb)]
      : [broken, broken, broken, broken, broken];
  return [id, ...seven, uuidOf(gpu), '[N/A]', 'Disabled', bus].join(', ');
}

function uuidOf({ id }: LabGpu): string {
  return `GPU-5e551011-aaaa-bbbb-cccc-${String(id).padStart(12, '0')}`;
}

function rayScript(ray: RayAnswer): string {
  if (ray.kind === 'hangs') return 'exec sleep 60';
  return `${printed(ray.stdout)}\n(${printed(ray.stderr)}) >&2\nexit ${ray.code}`;
}

/** A command that prints the text. */
function printed(text: string): string {
  return `printf '%s\\n' '${text.replaceAll("'", `'\\''`)}'`;
}
