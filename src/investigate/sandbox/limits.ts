/** Limits of everything that runs in the sandbox (spec 07 B13). */
export interface SandboxLimits {
  readonly cpuS: number;
  /** Address space of each process. */
  readonly memoryBytes: number;
  /** Largest file that can be written. */
  readonly fileBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Of each output stream; a run that says more is ended. */
  readonly outputBytes: number;
  readonly scratchBytes: number;
  readonly temporaryBytes: number;
}

const MIB = 1024 * 1024;

export const SANDBOX_LIMITS: SandboxLimits = {
  cpuS: 10,
  memoryBytes: 1024 * MIB,
  fileBytes: 16 * MIB,
  processes: 64,
  openFiles: 128,
  outputBytes: 256 * 1024,
  scratchBytes: 128 * MIB,
  temporaryBytes: 64 * MIB,
};
