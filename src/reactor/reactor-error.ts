/** Why a reactor of {@link createReactor} did not do what it was asked; docs/errors.md has a row for each code. */
export class ReactorError extends Error {
  readonly code: `RA_${string}`;

  constructor(code: ReactorError['code'], message: string) {
    super(message);
    this.name = 'ReactorError';
    this.code = code;
  }
}
