/** Environment variables as a plain record. */
export type EnvRecord = Readonly<Record<string, string | undefined>>;

/** The trimmed value of the first of the variables that is not blank; undefined when all are. */
export function firstSet(env: EnvRecord, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
