import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';

/** Parts of a bundle that share its modules instead of having copies of them, by name. */
const SHARING = new Set(['host-looks', 'finalize']);

/**
 * Keeps what a bundle imports dynamically from our own sources out of it, as files of their own: code that many runs never
 * need takes time in each of them even when it only lies there.
 *
 * @param found receives the parts: `alone` are bundles of their own in `parts/`; `sharing` lie beside the bundle, are loaded
 *   with compiled code as it is, and ask it for the modules that it has
 */
export const ownParts = (found) => ({
  name: 'own-parts',
  setup(bundle) {
    bundle.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const name = basename(path, '.js');
      const source = join(resolveDir, path).replace(/\.js$/, '.ts');
      const parts = SHARING.has(name) ? found.sharing : found.alone;
      if ((parts.get(name) ?? source) !== source) throw new Error(`two parts are named ${name}`);
      parts.set(name, source);
      return { path: SHARING.has(name) ? `./tick.${name}.js` : `./parts/${name}.js`, external: true };
    });
  },
});

/** Leaves modules that the bundle has to it: they are asked for by the name `shared:` and their path. */
export const leftToTheBundle = (inputs) => ({
  name: 'left-to-the-bundle',
  setup(bundle) {
    bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const source = relative(process.cwd(), join(resolveDir, path)).replace(/\.js$/, '.ts');
      return inputs.has(source) ? { path: `shared:${source}`, external: true } : undefined;
    });
  },
});

/**
 * An entry for the bundle that also gives what its sharing parts ask for.
 *
 * @param options of the bundle's build
 * @returns options to build it with, and the files that it has
 */
export async function withSharedModules(options, found) {
  const { metafile } = await build({ ...options, write: false, metafile: true });
  const inputs = new Set(Object.keys(metafile.inputs));
  const asked = new Map();
  for (const source of found.sharing.values()) {
    const { outputFiles } = await build({
      entryPoints: [source],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      plugins: [leftToTheBundle(inputs)],
    });
    const [{ text }] = outputFiles;
    const imports = [...text.matchAll(/^import \{([^}]*)\} from "shared:([^"]*)";/gm)];
    if (imports.length !== text.split('"shared:').length - 1)
      throw new Error(
        `${source} asks for a module of the bundle in a way that is not understood: name what it needs`,
      );
    for (const [, list, path] of imports) {
      const names = asked.get(path) ?? new Set();
      for (const name of list.split(',')) names.add(name.trim().split(' as ')[0]);
      asked.set(path, names);
    }
  }
  const [entry] = options.entryPoints;
  const modules = [...asked].map(([path, names], at) => {
    const bound = [...names].map((name, index) => ({ name, local: `m${at}_${index}` }));
    return {
      imports: `import { ${bound.map(({ name, local }) => `${name} as ${local}`).join(', ')} } from './${path}';`,
      entry: `${JSON.stringify(`shared:${path}`)}: { ${bound.map(({ name, local }) => `${name}: ${local}`).join(', ')} }`,
    };
  });
  const contents = [
    `export * from './${entry}';`,
    ...modules.map(({ imports }) => imports),
    `export const shared = () => ({ ${modules.map((module) => module.entry).join(', ')} });`,
  ].join('\n');
  const { entryPoints: _, ...rest } = options;
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts', sourcefile: 'shared-entry.ts' };
  return {
    inputs,
    options: {
      ...rest,
      stdin,
      outfile: join(options.outdir, `${basename(entry, '.ts')}.js`),
      outdir: undefined,
    },
  };
}
