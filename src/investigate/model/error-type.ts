/** What kind of fault a root cause is, in wire order (spec 07 A2). */
export const ERROR_TYPES = [
  'code_logic',
  'runtime_error',
  'null_pointer',
  'index_out_of_bounds',
  'race_condition',
  'parsing_error',
  'serialization_error',
  'config_error',
  'infra',
  'oom',
  'tls',
  'network',
  'unknown',
] as const;

export type ErrorType = (typeof ERROR_TYPES)[number];

export function isErrorType(value: unknown): value is ErrorType {
  return ERROR_TYPES.some((type) => type === value);
}

export type ErrorGroup = 'code' | 'resources' | 'transport' | 'configuration' | 'none';

/** Types between which evidence of one may speak for another (spec 07 B11.1). */
export function groupOf(type: ErrorType): ErrorGroup {
  switch (type) {
    case 'infra':
    case 'oom':
      return 'resources';
    case 'network':
    case 'tls':
      return 'transport';
    case 'config_error':
      return 'configuration';
    case 'unknown':
      return 'none';
    default:
      return 'code';
  }
}
