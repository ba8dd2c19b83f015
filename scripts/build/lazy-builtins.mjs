import { createRequire, isBuiltin } from 'node:module';

/** Loaded before any program starts, and used by nearly every file. */
const ALREADY_THERE = new Set(['node:fs', 'node:path']);
/** Functions of theirs whose mere mention loads further modules. */
const LOADS_MORE = new Set(['opendirSync']);
const requireBuiltin = createRequire(import.meta.url);

/**
 * Loads a module of Node's own when one of its functions is first called: `import { createHash } from 'node:crypto'` costs
 * milliseconds at start-up that a tick without anything to hash need not pay. Only functions and classes can wait that way,
 * so importing a constant of such a module, or extending one of its classes, is an error of the build or of the first run.
 */
export const lazyBuiltins = {
  name: 'lazy-builtins',
  setup(bundle) {
    bundle.onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
      if (namespace === 'builtin' || !isBuiltin(path)) return { path, external: true };
      return { path, namespace: 'builtin', sideEffects: false };
    });
    bundle.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: ALREADY_THERE.has(path) ? once(path) : stubs(path),
    }));
  },
};

/** A module that is there: asked for once in a bundle, not in each of its files. */
function once(path) {
  return [
    `const there = require(${JSON.stringify(path)});`,
    // Marked so that names which no file imports are left out: there are a hundred.
    'const load = () => there;',
    ...exportedNames(path).map((name) =>
      LOADS_MORE.has(name) ? stub(name) : `export const ${name} = /* @__PURE__ */ (() => there.${name})();`,
    ),
  ].join('\n');
}

/** Without those behind an accessor, such as `fs.promises`: their mere mention loads further modules. */
function exportedNames(path) {
  return Object.entries(Object.getOwnPropertyDescriptors(requireBuiltin(path)))
    .filter(([name, { get }]) => get === undefined && /^[A-Za-z]\w*$/.test(name) && name !== 'default')
    .map(([name]) => name);
}

function stubs(path) {
  const functions = exportedNames(path)
    .map((name) => [name, requireBuiltin(path)[name]])
    .filter(([, value]) => typeof value === 'function');
  return [
    `const load = () => require(${JSON.stringify(path)});`,
    ...functions.map(([name]) => stub(name)),
  ].join('\n');
}

function stub(name) {
  return (
    `export function ${name}(...args) { const target = load().${name}; ` +
    'return new.target ? new target(...args) : target(...args); }'
  );
}
