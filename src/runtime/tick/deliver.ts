import { describeFailure, removeFile, replaceFile, type WriteFailure } from '../../foreign/write-file.js';
import { type Emit, emitText } from '../../reactor/emit.js';
import type { CommandIo } from '../shared/command.js';
import { writeAll } from '../shared/streams.js';

/** Where an answer goes. */
export interface Delivery {
  /**
   * Hands an answer over. With a file, the file has it at once and standard output gets the final one; without, the answer
   * is printed once, when it is final.
   */
  deliver(emit: Emit, isFinal: boolean): Promise<WriteFailure | undefined>;
}

/** The host reads its file within this turn, or never. */
const TO_HOST = { createDirectory: false, durable: false };

/** Removes an answer of an earlier turn, so that a crash can never be read as this turn's answer. */
export function dropStaleAnswer(out: string): void {
  if (out === '-') return;
  try {
    removeFile(out);
  } catch {
    // Writing the answer meets the same obstacle and reports it.
  }
}

export function deliveryTo(out: string, io: CommandIo): Delivery {
  return {
    async deliver(emit, isFinal) {
      const text = emitText(emit);
      const failure = out === '-' ? undefined : replaceFile(out, text, TO_HOST);
      if (failure !== undefined || !isFinal) return failure;
      try {
        await (io.print === undefined ? writeAll(io.stdout, text) : io.print(text));
        return undefined;
      } catch (error) {
        // Whoever closed our output has the file, if there is one.
        return out === '-' ? describeFailure(error) : undefined;
      }
    },
  };
}
