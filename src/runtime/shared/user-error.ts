/** What a user can do wrong or meet, by its stable code; docs/errors.md has a row for each. */
export interface UserErrorParts {
  /** Stable code, `RA_…`. */
  readonly code: `RA_${string}`;
  readonly happened: string;
  readonly expected?: string;
  readonly todo?: string;
}

/** An error that ends a command with exit code 2 and one line on stderr. */
export class UserError extends Error {
  readonly code: UserErrorParts['code'];

  constructor(parts: UserErrorParts) {
    const tail = [parts.expected && `expected ${parts.expected}`, parts.todo].filter(Boolean).join('; ');
    super(tail === '' ? parts.happened : `${parts.happened}; ${tail}`);
    this.name = 'UserError';
    this.code = parts.code;
  }

  /** The line for stderr, without a newline. */
  get line(): string {
    return `${this.code}: ${this.message.replace(/\s+/g, ' ')}`;
  }
}
