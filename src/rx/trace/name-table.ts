import { TraceLimitError } from './trace-error.js';

/** Characters of all distinct names together; a batch with more of them is refused, not truncated. */
export const MAX_NAME_CHARS = 32 * 1024 * 1024;

/** Gives each distinct text a small number, in order of first appearance. */
export class NameTable {
  private readonly ids = new Map<string, number>();
  private readonly names: string[] = [];
  private chars = 0;

  constructor(private readonly what: string) {}

  intern(name: string): number {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    this.chars += name.length;
    if (this.chars > MAX_NAME_CHARS)
      throw new TraceLimitError(`characters of distinct ${this.what}`, MAX_NAME_CHARS);
    const id = this.names.push(name) - 1;
    this.ids.set(name, id);
    return id;
  }

  name(id: number): string {
    return this.names[id] ?? '';
  }

  get size(): number {
    return this.names.length;
  }
}
