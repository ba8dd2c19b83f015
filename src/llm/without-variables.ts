/** Runs a synchronous step during which the process environment lacks these variables. */
export function withoutVariables<T>(names: readonly string[], step: () => T): T {
  const saved = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return step();
  } finally {
    for (const [name, value] of saved) {
      if (value !== undefined) process.env[name] = value;
    }
  }
}
