import { createRequire, isBuiltin } from 'node:module';

/** Loaded before any program starts, so that asking for them again costs nothing. */
const ALREADY_THERE = new Set(['fs', 'path', 'buffer', 'events', 'timers', 'url', 'vm', 'process']);
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
      if (namespace === 'lazy-builtin' || ALREADY_THERE.has(path.slice('node:'.length)) || !isBuiltin(path))
        return { path, external: true };
      return { path, namespace: 'lazy-builtin', sideEffects: false };
    });
    bundle.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({ contents: stubs(path) }));
  },
};

function stubs(path) {
  const functions = Object.entries(requireBuiltin(path)).filter(
    ([name, value]) => typeof value === 'function' && /^[A-Za-z]\w*$/.test(name) && name !== 'default',
  );
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
