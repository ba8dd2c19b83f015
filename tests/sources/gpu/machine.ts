import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const GIB = 2 ** 30;

export interface Board {
  /** `dddd:bb:dd.f`. */
  readonly pci: string;
  readonly usedGib?: number;
  readonly totalGib?: number;
  readonly files?: Readonly<Record<string, string>>;
}

/** A machine's `/proc` and `/sys` as far as GPUs are concerned. */
export class Machine {
  readonly root = temporaryDirectory();
  #cards = 0;
  #nodes = 0;

  constructor() {
    writeTree(this.root, { 'proc/': '', 'sys/class/drm/': '' });
  }

  /** An AMD board, as the kernel driver shows it. */
  board({ pci, usedGib, totalGib = 192, files = {} }: Board): this {
    const device = `sys/class/drm/card${this.#cards}/device`;
    this.#cards += 1;
    writeTree(this.root, {
      [`${device}/vendor`]: '0x1002\n',
      [`${device}/uevent`]: `DRIVER=amdgpu\nPCI_SLOT_NAME=${pci}\n`,
    });
    if (usedGib !== undefined) {
      writeTree(this.root, {
        [`${device}/mem_info_vram_used`]: `${usedGib * GIB}\n`,
        [`${device}/mem_info_vram_total`]: `${totalGib * GIB}\n`,
      });
    }
    for (const [name, content] of Object.entries(files))
      writeTree(this.root, { [`${device}/${name}`]: content });
    return this;
  }

  /** A card of another vendor, such as a management display. */
  foreignCard(): this {
    writeTree(this.root, { [`sys/class/drm/card${this.#cards}/device/vendor`]: '0x1a03\n' });
    this.#cards += 1;
    return this;
  }

  /** A compute node of the kernel driver. */
  kfdNode(kfdId: number, bus: number, fn = 0): this {
    writeTree(this.root, {
      'sys/class/kfd/kfd/proc/': '',
      [`sys/class/kfd/kfd/topology/nodes/${this.#nodes}/gpu_id`]: `${kfdId}\n`,
      [`sys/class/kfd/kfd/topology/nodes/${this.#nodes}/properties`]: `cpu_cores_count 0\nsimd_count 1216\nlocation_id ${bus * 256 + fn}\ndomain 0\n`,
    });
    this.#nodes += 1;
    return this;
  }

  /** What the kernel accounts to a process, GiB per KFD id. */
  kfdProcess(pid: number, vram: Readonly<Record<number, number>>): this {
    for (const [kfdId, gib] of Object.entries(vram)) {
      writeTree(this.root, { [`sys/class/kfd/kfd/proc/${pid}/vram_${kfdId}`]: `${gib * GIB}\n` });
    }
    return this;
  }

  /** Makes `/proc` that of the kernel's initial PID namespace. */
  hostNamespace(): this {
    mkdirSync(join(this.root, 'proc/self/ns'), { recursive: true });
    symlinkSync('pid:[4026531836]', join(this.root, 'proc/self/ns/pid'));
    return this.deviceFiles('kfd', 'nvidia0');
  }

  deviceFiles(...names: string[]): this {
    writeTree(this.root, Object.fromEntries(names.map((name) => [`dev/${name}`, ''])));
    return this;
  }

  withoutDeviceFiles(): this {
    rmSync(join(this.root, 'dev'), { recursive: true, force: true });
    return this;
  }

  process(pid: number, { state = 'S', files = [] as string[], environ = '', threads = 1 } = {}): this {
    writeTree(this.root, {
      [`proc/${pid}/stat`]: `${pid} (odd) name) ${state} 1 ${'0 '.repeat(17)}4200 0 0\n`,
      [`proc/${pid}/comm`]: 'python3\n',
      [`proc/${pid}/environ`]: environ,
      [`proc/${pid}/fd/`]: '',
    });
    for (let thread = 0; thread < threads; thread += 1)
      writeTree(this.root, { [`proc/${pid}/task/${pid + thread}/`]: '' });
    for (const [fd, target] of files.entries()) symlinkSync(target, join(this.root, `proc/${pid}/fd/${fd}`));
    return this;
  }
}
