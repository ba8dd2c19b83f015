import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DemoGpu {
  readonly junctionC: number;
  readonly vramUsedBytes: number;
}

const VRAM_TOTAL = 206_141_652_992;

/** Puts a `rocm-smi` on the path that prints these GPUs in the tool's own CSV. */
export function writeGpuTool(binDir: string, gpus: readonly DemoGpu[]): void {
  const header =
    'device,Temperature (Sensor junction) (C),GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B)';
  const rows = gpus.map(
    ({ junctionC, vramUsedBytes }, index) =>
      `card${index},${junctionC.toFixed(1)},97,${VRAM_TOTAL},${vramUsedBytes}`,
  );
  mkdirSync(binDir, { recursive: true });
  const path = join(binDir, 'rocm-smi');
  writeFileSync(path, `#!/bin/sh\ncat <<'TABLE'\n${[header, ...rows].join('\n')}\nTABLE\n`);
  chmodSync(path, 0o755);
}
