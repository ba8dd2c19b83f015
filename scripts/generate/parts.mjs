/** Who declares settings, in the order of the documentation: the parts of the agent, then its rules. */
export function partsOf(source) {
  const { reactorFields, sourcesFields, ladderFields, rcaFields, spoolFields, investigateFields, RULES } =
    source;
  return [
    { title: 'The tick', fields: reactorFields },
    { title: 'Sources', fields: sourcesFields },
    { title: 'Ladder', fields: ladderFields },
    { title: 'Root causes', fields: rcaFields },
    { title: 'Investigations', fields: { ...spoolFields, ...investigateFields() } },
    ...RULES.map((rule) => ({ title: `Rule ${rule.name}`, rule: rule.name, fields: rule.config })),
  ];
}

/** Environment variable of a setting as people set it: the shortest, where there are several. */
export function variableOf({ variablesOf }, name, field) {
  const own = variablesOf(name, field, false);
  return own.at(-1) ?? '';
}

/** Its variables without a prefix of ours, which only investigations read. */
export function aliasesOf({ variablesOf }, name, field) {
  const own = variablesOf(name, field, false);
  return variablesOf(name, field, true).filter((variable) => !own.includes(variable));
}

/** Bounds of a number as text, empty without. */
export function boundsOf(field) {
  if (field.type !== 'number' && field.type !== 'integer') return '';
  const least = field.exclusiveMinimum === undefined ? lowerBound(field) : undefined;
  return [
    field.exclusiveMinimum === undefined ? '' : `> ${field.exclusiveMinimum}`,
    least === undefined ? '' : `>= ${least}`,
    field.maximum === undefined ? '' : `<= ${field.maximum}`,
  ]
    .filter((bound) => bound !== '')
    .join(', ');
}

/** Smallest legal value; undefined where there is none. */
export function lowerBound(field) {
  if (field.exclusiveMinimum !== undefined) return undefined;
  return field.minimum ?? (field.signed ? undefined : 0);
}

/** What a setting holds: a unit for numbers, the type for all else. */
export function kindOf(field) {
  if (field.type === 'boolean') return 'true or false';
  if (field.type === 'string') return field.choices?.join(', ') ?? 'text';
  if (field.type === 'string_list') return 'list of texts';
  return field.unit;
}

/** A text inside a cell of a Markdown table. */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** A default as it is written in a configuration file. */
export function defaultText(field) {
  return field.type === 'string_list' && field.default.length > 0
    ? field.default.map((item) => `\`${cell(JSON.stringify(item))}\``).join(', ')
    : `\`${cell(JSON.stringify(field.default))}\``;
}

const START = '<!-- generated:start -->';
const END = '<!-- generated:end -->';

/** A page with new text between its marks; the marks stay. */
export function withGenerated(page, text, path) {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error(`${path} has no ${START} … ${END}`);
  return `${page.slice(0, start + START.length)}\n${text.trim()}\n${page.slice(end)}`;
}
