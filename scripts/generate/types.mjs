import { compile } from 'json-schema-to-typescript';
import ts from 'typescript';
import { edited } from './edits.mjs';

const BANNER = `// Generated from schemas/ by \`npm run generate\`; change the schemas instead.
import type { Json, JsonObject } from '../../foreign/json.js';
`;

const ROOT = 'AllOfThem';

/** TypeScript types of all schemas in one file: readonly, and aliases, because only those fit an index signature. */
export async function wireTypes(schemas) {
  const names = typeNames(schemas);
  const definitions = [...schemas].flatMap(([file, { $defs = {}, $schema: _draft, $id: _id, ...schema }]) =>
    [schema, ...Object.values($defs)]
      .filter(({ title }) => title !== undefined)
      .map((definition) => [definition.title, typed(definition, file, names)]),
  );
  // A root of its own, so that types shared by several files are declared once.
  const root = { title: ROOT, type: 'object', properties: {}, $defs: Object.fromEntries(definitions) };
  const source = await compile(root, ROOT, {
    additionalProperties: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 110 },
    unreachableDefinitions: true,
  });
  return `${BANNER}\n${readonlyAliases(tidied(source)).trim()}\n`;
}

/** Where a reference leads to the title of what is there; undefined for plain texts without one. */
function typeNames(schemas) {
  const names = new Map();
  for (const [file, { title, $defs = {} }] of schemas) {
    names.set(file, title);
    for (const [name, definition] of Object.entries($defs))
      names.set(`${file}#/$defs/${name}`, definition.title);
  }
  return names;
}

/** A schema as its type is made: references by title, and without what types cannot say. */
function typed(node, file, names) {
  if (Array.isArray(node)) return node.map((item) => typed(item, file, names));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') return reference(node, file, names);
  const { oneOf: _alternatives, discriminator: _tag, minItems: _min, maxItems: _max, ...rest } = node;
  if (Object.keys(rest).every((key) => key === 'title' || key === 'description')) rest.tsType ??= 'Json';
  if (rest.type === 'object' && !rest.properties && !rest.additionalProperties) rest.tsType ??= 'JsonObject';
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, typed(value, file, names)]));
}

function reference({ $ref, description }, file, names) {
  const target = $ref.startsWith('#') ? `${file}${$ref}` : $ref;
  if (!names.has(target)) throw new Error(`${file}: ${$ref} leads nowhere`);
  const title = names.get(target);
  if (title !== undefined) return { $ref: `#/$defs/${title}` };
  return { type: 'string', ...(description === undefined ? {} : { description }) };
}

/** Without the root and the generator's remarks about it; short remarks on one line. */
function tidied(source) {
  return source
    .replace(new RegExp(`export interface ${ROOT} \\{[^}]*\\}\\n?`), '')
    .replace(
      new RegExp(
        `( \\*\\s*\\n)? \\* This interface was referenced by \`${ROOT}\`'s JSON-Schema\\n` +
          ' \\* via the `definition` "\\w+"\\.\\n',
        'g',
      ),
      '',
    )
    .replace(/\/\*\*\n \*\/\n/g, '')
    .replace(/\/\*\*\n *\* (.{1,112})\n *\*\/\n/g, '/** $1 */\n')
    .replace(/^(.*[;}])\n(?=\/\*\*|export)/gm, '$1\n\n');
}

/** Turns interfaces into aliases, and properties and arrays into readonly ones. */
function readonlyAliases(source) {
  const file = ts.createSourceFile('types.ts', source, ts.ScriptTarget.Latest, true);
  const edits = [];
  const insert = (at, text) => edits.push({ from: at, to: at, text });
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node)) {
      const from = source.indexOf('interface', node.getStart());
      edits.push({ from, to: from + 'interface'.length, text: 'type' });
      insert(node.name.end, ' =');
      insert(node.end, ';');
    }
    if (ts.isPropertySignature(node) || ts.isIndexSignatureDeclaration(node))
      insert(node.getStart(), 'readonly ');
    if (ts.isArrayTypeNode(node) || ts.isTupleTypeNode(node)) insert(node.getStart(), 'readonly ');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edited(source, edits);
}
