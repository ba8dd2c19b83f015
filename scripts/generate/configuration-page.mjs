import {
  aliasesOf,
  boundsOf,
  cell,
  defaultText,
  kindOf,
  partsOf,
  variableOf,
  withGenerated,
} from './parts.mjs';

/** The page of all settings; its introduction is written by hand. */
export function configurationPage(source, page) {
  const parts = partsOf(source);
  const shown = new Set();
  const sections = parts.flatMap(({ title, rule, fields }) => {
    const own = Object.entries(fields).filter(([name]) => !shown.has(name));
    const shared = Object.keys(fields).filter((name) => shown.has(name));
    for (const [name] of own) shown.add(name);
    const heading = rule === undefined ? title : `Rule [${rule}](rules/${rule}.md)`;
    return own.length + shared.length === 0
      ? []
      : section(source, heading, own, shared, alsoReadBy(parts, title));
  });
  return withGenerated(page, sections.join('\n'), 'docs/configuration.md');
}

/** For a field, the other parts that declare it. */
function alsoReadBy(parts, title) {
  return (name) =>
    parts
      .filter((part) => part.title !== title && Object.hasOwn(part.fields, name))
      .map((part) => part.title.toLowerCase());
}

function section(source, heading, own, shared, others) {
  const rows = own.map(([name, field]) => {
    const unit = [kindOf(field), boundsOf(field), field.nullable ? 'or null' : ''].filter(Boolean).join(', ');
    const also = others(name);
    const names = [variableOf(source, name, field), ...aliasesOf(source, name, field)];
    const variables = names.map((variable) => `\`${variable}\``).join(' or ');
    const doc = also.length > 0 ? `${field.doc} Also read by ${also.join(', ')}.` : field.doc;
    return `| \`${name}\`<br>${variables} | ${defaultText(field)} | ${cell(unit)} | ${cell(doc)} |`;
  });
  const table =
    rows.length > 0
      ? ['', '| setting, variable | default | unit or type | meaning |', '|---|---|---|---|', ...rows]
      : [];
  const reads =
    shared.length > 0 ? ['', `Reads of those above: ${shared.map((name) => `\`${name}\``).join(', ')}.`] : [];
  return ['', `## ${heading}`, ...table, ...reads];
}
