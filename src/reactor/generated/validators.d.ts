// Generated from schemas/ by `npm run generate`; change the schemas instead.

export interface SchemaError {
  /** JSON pointer to the value. */
  readonly instancePath: string;
  /** Keyword of the schema that it does not satisfy. */
  readonly keyword: string;
}

export interface Validator {
  (value: unknown): boolean;
  /** Of the last call; null when it found nothing. */
  readonly errors?: readonly SchemaError[] | null;
}

export declare const validateIntent: Validator;
