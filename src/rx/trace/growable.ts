type Column = Uint8Array | Uint32Array | Float64Array;

/** A typed column that doubles as it is filled. */
export class Growable<T extends Column> {
  private size = 0;

  constructor(
    private data: T,
    private readonly make: (length: number) => T,
  ) {}

  push(value: number): void {
    if (this.size === this.data.length) {
      const larger = this.make(Math.max(1024, 2 * this.size));
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.size] = value;
    this.size += 1;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  get(index: number): number {
    return this.data[index] ?? 0;
  }

  get length(): number {
    return this.size;
  }
}

export function bytes(): Growable<Uint8Array> {
  return new Growable(new Uint8Array(0), (length) => new Uint8Array(length));
}

export function counts(): Growable<Uint32Array> {
  return new Growable(new Uint32Array(0), (length) => new Uint32Array(length));
}

export function doubles(): Growable<Float64Array> {
  return new Growable(new Float64Array(0), (length) => new Float64Array(length));
}
