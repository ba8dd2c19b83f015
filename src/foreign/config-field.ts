/** One configuration field: its type, default, unit and meaning; the schema, the validation and the documentation come from it. */
export type ConfigField =
  | (NumberField & { readonly nullable?: false; readonly default: number })
  | (NumberField & { readonly nullable: true; readonly default: number | null })
  | (AnyField & { readonly type: 'boolean'; readonly nullable?: false; readonly default: boolean })
  | (AnyField & { readonly type: 'boolean'; readonly nullable: true; readonly default: boolean | null })
  | (TextField & { readonly nullable?: false; readonly default: string })
  | (TextField & { readonly nullable: true; readonly default: string | null })
  | (AnyField & { readonly type: 'string_list'; readonly default: readonly string[] });

interface AnyField {
  readonly doc: string;
  /** Variables beside `ROBUSTNESS_<FIELD>`; the first that is set wins. */
  readonly variables?: readonly string[];
  /** A credential: kept apart from all other settings, which are shown and recorded. */
  readonly secret?: true;
}

interface TextField extends AnyField {
  readonly type: 'string';
  /** The only values there are; letter case and blanks around them do not matter in a variable. */
  readonly choices?: readonly string[];
}

interface NumberField extends AnyField {
  readonly type: 'number' | 'integer';
  /** Unit of the value: `s`, `ms`, `min`, `ticks`, `%`, `MiB`, `GiB`, `bytes`, `count`, `ratio`, … */
  readonly unit: string;
  /** Smallest legal value; 0 unless the field says otherwise, because most are counts, sizes and durations. */
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  /** True where negative values have a meaning of their own. */
  readonly signed?: true;
  /** True where a value out of range is brought to the nearest limit, with a warning, in place of being refused. */
  readonly clamped?: true;
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
  return pickFields(fields, {});
}

/**
 * The named fields of a larger configuration, the default where it says nothing; further values may come with them. Values
 * were checked where they entered (`reactor/config`), so their types hold.
 */
export function pickFields<F extends ConfigFields>(
  fields: F,
  values: Readonly<Record<string, ConfigValue | undefined>>,
): ConfigValues<F>;
export function pickFields(
  fields: ConfigFields,
  values: Readonly<Record<string, ConfigValue | undefined>>,
): Readonly<Record<string, ConfigValue>> {
  // A tick does this for every rule, mostly from a configuration that has them all.
  if (hasAll(fields, values)) return values;
  const picked: Record<string, ConfigValue> = {};
  for (const name in fields) {
    const field = fields[name];
    if (field !== undefined) picked[name] = orDefault(values[name], field);
  }
  return picked;
}

function hasAll(
  fields: ConfigFields,
  values: Readonly<Record<string, ConfigValue | undefined>>,
): values is Readonly<Record<string, ConfigValue>> {
  for (const name in fields) if (values[name] === undefined) return false;
  return true;
}

/** `null` is a value of its own. */
function orDefault(value: ConfigValue | undefined, field: ConfigField): ConfigValue {
  return value === undefined ? field.default : value;
}
