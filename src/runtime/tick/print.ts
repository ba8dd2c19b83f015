import { writeSync } from 'node:fs';

/**
 * Writes a text to standard output and waits until it is out, without the stream machinery of `process.stdout`. A pipe that
 * its owner made non-blocking and whose reader is slow is left to that machinery.
 */
export async function print(text: string): Promise<void> {
  const bytes = Buffer.from(text, 'utf8');
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    const rest = bytes.subarray(at);
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(rest, (failure) => (failure ? reject(failure) : resolve()));
    });
  }
}
