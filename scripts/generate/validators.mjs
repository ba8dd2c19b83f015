import { join } from 'node:path';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import ts from 'typescript';
import { edited } from './edits.mjs';

/** Validators that the agent uses, and the schema of each. */
const VALIDATORS = { validateIntent: 'intent.schema.json' };

const HEAD = '// Generated from schemas/ by `npm run generate`; change the schemas instead.\n';

/** Precompiled validators without a dependency, and their types. */
export async function validators(schemas, directory) {
  const ajv = new Ajv({
    strict: true,
    allowUnionTypes: true,
    discriminator: true,
    messages: false,
    code: { source: true, esm: true },
  });
  for (const name of Object.values(VALIDATORS)) ajv.addSchema(withoutUnused(bare(schemas.get(name))));
  // Bundled, because the code may ask for helpers of ajv's runtime.
  const { outputFiles } = await build({
    stdin: { contents: withPlainErrors(standaloneCode(ajv, VALIDATORS)), resolveDir: '.', loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node20.19',
    write: false,
    minify: true,
    lineLimit: 120,
    legalComments: 'none',
    logLevel: 'warning',
  });
  return [
    [join(directory, 'validators.js'), `${HEAD}${outputFiles[0].text}`],
    [join(directory, 'validators.d.ts'), declarations()],
  ];
}

/** Texts for people and for the type generator, and the dialect: what is compiled here means the same in each. */
const DROPPED = new Set(['title', 'description', 'tsType', '$schema']);

/**
 * A schema as the tick checks it, small enough for its start-up. Of parts marked `x-for-readers` only the type is checked: a
 * fault in what only readers look at must never cost an alert.
 */
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== 'object' || node === null) return node;
  if (node['x-for-readers'] === true) return { type: node.type };
  const kept = Object.entries(node).filter(
    ([key, value]) => !(typeof value === 'string' && DROPPED.has(key)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

/** Without definitions that nothing refers to, so that a change in what is not checked does not change the code. */
function withoutUnused({ $defs = {}, ...root }) {
  const used = new Map();
  const follow = (node) => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, $defs[name]);
      follow($defs[name]);
    }
  };
  follow(root);
  return { ...root, $defs: Object.fromEntries(used) };
}

/** Errors that say where and which keyword; the rest of them is half of the code. */
function withPlainErrors(code) {
  const file = ts.createSourceFile('validators.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const edits = [];
  const visit = (node) => {
    const properties = ts.isObjectLiteralExpression(node) ? node.properties : [];
    const named = (property, ...names) => names.includes(property.name?.getText());
    if (properties.some((property) => named(property, 'instancePath'))) {
      const kept = properties.filter((property) => named(property, 'instancePath', 'keyword'));
      const text = kept.map((property) => property.getText()).join(',');
      edits.push({ from: node.getStart(), to: node.end, text: `{${text}}` });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edited(code, edits);
}

function declarations() {
  const each = Object.keys(VALIDATORS).map((name) => `export declare const ${name}: Validator;`);
  return `${HEAD}
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

${each.join('\n')}
`;
}
