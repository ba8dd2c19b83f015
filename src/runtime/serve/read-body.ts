import type { IncomingMessage } from 'node:http';

export type Body = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false };

/** The body of a request; refused as soon as it is known to be larger than the limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { ok: false };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > maxBytes) return { ok: false };
    chunks.push(bytes);
  }
  return { ok: true, bytes: Buffer.concat(chunks) };
}
