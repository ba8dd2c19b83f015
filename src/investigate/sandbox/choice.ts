/** Values of `sandbox_driver`; `auto` is bubblewrap where it works, else E2B where its key is set (spec 07 B13). */
export const SANDBOX_DRIVERS = ['auto', 'bwrap', 'e2b', 'none'] as const;

export type SandboxChoice = (typeof SANDBOX_DRIVERS)[number];
