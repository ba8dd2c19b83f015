/** Values of `sandbox_driver`; `auto` says nothing where there is no sandbox. */
export const SANDBOX_DRIVERS = ['auto', 'bwrap', 'none'] as const;

export type SandboxChoice = (typeof SANDBOX_DRIVERS)[number];
