import type { Database } from 'better-sqlite3';

/** Vectors of texts, each under the name of the model that made it. */
export class EmbeddingStore {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now Unix seconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  find(model: string, textSha256: string): Float64Array | null {
    const row = this.#db
      .prepare<[string, string], { vector: Buffer }>(
        'SELECT vector FROM embeddings WHERE model = ? AND text_sha256 = ?',
      )
      .get(model, textSha256);
    if (
      row === undefined ||
      row.vector.length === 0 ||
      row.vector.length % Float64Array.BYTES_PER_ELEMENT !== 0
    ) {
      return null;
    }
    // Copied, because a view needs an aligned start.
    return new Float64Array(Uint8Array.from(row.vector).buffer);
  }

  add(model: string, textSha256: string, vector: Float64Array): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO embeddings (model, text_sha256, vector, at) VALUES (?, ?, ?, ?)')
      .run(model, textSha256, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), this.#now());
  }
}
