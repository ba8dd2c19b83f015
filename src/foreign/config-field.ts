/** One configuration field: its type, default, unit and meaning; the schema, the validation and the documentation come from it. */
export type ConfigField =
  | (NumberField & { readonly nullable?: false; readonly default: number })
  | (NumberField & { readonly nullable: true; readonly default: number | null })
  | { readonly type: 'boolean'; readonly nullable?: false; readonly default: boolean; readonly doc: string }
  | {
      readonly type: 'boolean';
      readonly nullable: true;
      readonly default: boolean | null;
      readonly doc: string;
    }
  | { readonly type: 'string'; readonly nullable?: false; readonly default: string; readonly doc: string }
  | {
      readonly type: 'string';
      readonly nullable: true;
      readonly default: string | null;
      readonly doc: string;
    }
  | { readonly type: 'string_list'; readonly default: readonly string[]; readonly doc: string };

interface NumberField {
  readonly type: 'number' | 'integer';
  /** Unit of the value: `s`, `ms`, `min`, `ticks`, `%`, `MiB`, `GiB`, `bytes`, `count`, `ratio`, … */
  readonly unit: string;
  readonly doc: string;
  /** Smallest legal value; 0 unless the field says otherwise, because most are counts, sizes and durations. */
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  /** True where negative values have a meaning of their own. */
  readonly signed?: true;
}

/** Fields by their wire name (snake_case). */
export type ConfigFields = { readonly [name: string]: ConfigField };

/** A value that a configuration field can have. */
export type ConfigValue = number | boolean | string | null | readonly string[];

type Widened<F extends ConfigField> = F['type'] extends 'number' | 'integer'
  ? number
  : F['type'] extends 'boolean'
    ? boolean
    : F['type'] extends 'string'
      ? string
      : readonly string[];

type ValueOf<F extends ConfigField> = F extends { readonly nullable: true } ? Widened<F> | null : Widened<F>;

/** The values of a set of fields. */
export type ConfigValues<F extends ConfigFields> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** Every field at its default. */
export function defaultsOf<F extends ConfigFields>(fields: F): ConfigValues<F> {
  const entries = Object.entries(fields).map(([name, field]) => [name, field.default]);
  return Object.fromEntries(entries);
}

/**
 * The named fields out of a larger configuration, the default where it says nothing. Values were checked where they
 * entered (`reactor/config`), so their types hold.
 */
export function pickFields<F extends ConfigFields>(
  fields: F,
  values: Readonly<Record<string, ConfigValue | undefined>>,
): ConfigValues<F> {
  const entries = Object.entries(fields).map(([name, field]) => {
    const value = values[name];
    return [name, value === undefined ? field.default : value];
  });
  return Object.fromEntries(entries);
}
