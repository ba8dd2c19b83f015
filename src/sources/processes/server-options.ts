/** Where a server was told to listen. */
export interface ServerOptions {
  readonly port: number | null;
  readonly host: string | null;
}

/** `--port N`, `--port=N`, `-p N` and `--host H` of an argument vector (spec 02 §10.4). */
export function serverOptions(argv: readonly string[]): ServerOptions {
  const port = optionOf(argv, ['--port', '-p']);
  return { port: portOf(port), host: optionOf(argv, ['--host']) };
}

/** A port number, or null. */
export function portOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined || !/^\d{1,5}$/.test(text.trim())) return null;
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : null;
}

function optionOf(argv: readonly string[], names: readonly string[]): string | null {
  for (const [index, argument] of argv.entries()) {
    if (names.includes(argument)) return argv[index + 1] ?? null;
    const name = names.find(
      (candidate) => candidate.startsWith('--') && argument.startsWith(`${candidate}=`),
    );
    if (name !== undefined) return argument.slice(name.length + 1);
  }
  return null;
}
