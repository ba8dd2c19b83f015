import { basename, join } from 'node:path';

/**
 * Keeps what a bundle imports dynamically from our own sources out of it, as bundles of their own in `parts/`: code that
 * most runs never need takes time in each of them even when it only lies there.
 *
 * @param found receives the source file of each part, by its name
 */
export const ownParts = (found) => ({
  name: 'own-parts',
  setup(bundle) {
    bundle.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const name = basename(path, '.js');
      const source = join(resolveDir, path).replace(/\.js$/, '.ts');
      if ((found.get(name) ?? source) !== source) throw new Error(`two parts are named ${name}`);
      found.set(name, source);
      return { path: `./parts/${name}.js`, external: true };
    });
  },
});
