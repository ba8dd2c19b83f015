const MIN_CAPACITY = 1024;
const EMPTY = -1;

/**
 * Maps text keys to row numbers in 12 bytes a slot, by a 64-bit hash without the keys themselves; any two of 2,000,000
 * keys share a hash with probability 1e-7.
 */
export class KeyIndex {
  private rows = new Int32Array(MIN_CAPACITY).fill(EMPTY);
  private hashes = new Int32Array(2 * MIN_CAPACITY);
  private count = 0;

  /** Puts the row under the key and returns the row that was there before, −1 if none. */
  swap(key: string, row: number): number {
    if (this.count * 4 >= this.rows.length * 3) this.grow();
    const { home, check } = hashPair(key);
    const slot = this.find(home, check);
    const previous = this.rows[slot] ?? EMPTY;
    if (previous === EMPTY) this.count += 1;
    this.put(slot, home, check, row);
    return previous;
  }

  private find(home: number, check: number): number {
    const mask = this.rows.length - 1;
    let slot = home & mask;
    while (
      this.rows[slot] !== EMPTY &&
      (this.hashes[2 * slot] !== home || this.hashes[2 * slot + 1] !== check)
    ) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private put(slot: number, home: number, check: number, row: number): void {
    this.rows[slot] = row;
    this.hashes[2 * slot] = home;
    this.hashes[2 * slot + 1] = check;
  }

  private grow(): void {
    const { rows, hashes } = this;
    this.rows = new Int32Array(2 * rows.length).fill(EMPTY);
    this.hashes = new Int32Array(2 * hashes.length);
    for (let slot = 0; slot < rows.length; slot++) {
      const row = rows[slot] ?? EMPTY;
      if (row === EMPTY) continue;
      const home = hashes[2 * slot] ?? 0;
      const check = hashes[2 * slot + 1] ?? 0;
      this.put(this.find(home, check), home, check, row);
    }
  }
}

/** Two independent 32-bit hashes of a text (the cyrb53 mixing of two multiplicative lanes). */
function hashPair(text: string): { home: number; check: number } {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return { home: a | 0, check: b | 0 };
}
