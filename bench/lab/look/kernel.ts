import { finiteNumber, type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { describeKernel } from '../../../src/sources/host/kernel-messages.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** Messages older than this are no news at first sight, s. */
const FIRST_SIGHT_S = 600;

/** The kernel's log, read by the product itself (spec 04 §11). The virtual machine was booted at the epoch. */
export function lookAtKernel({ kernel, now }: LabWorld, memory: JsonObject): Look {
  const before = finiteNumber(objectOr(memory['kernel'])['sampled_unix']);
  const messages = kernel.map(({ text, at }) => ({ text, uptime: at }));
  return {
    slots: { local_kernel: describeKernel(messages, 0, before ?? now - FIRST_SIGHT_S) },
    memory: { kernel: { sampled_unix: now } },
  };
}
