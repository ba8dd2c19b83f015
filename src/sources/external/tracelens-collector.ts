import { dirname, isAbsolute, join } from 'node:path';
import type { Collector, CollectorAnswer, CollectorEnv } from '../collector.js';
import { findExecutable } from '../tools/find-executable.js';
import { listDirectory } from '../tools/list-directory.js';

/** The report generators that trace analysis calls; either will do. */
export const TRACELENS_CLIS = [
  'TraceLens_generate_perf_report_pytorch_inference',
  'TraceLens_generate_perf_report_pytorch',
] as const;

const USUAL_PLACES = ['/opt/venv/bin', '/usr/local/bin'];

/** The TraceLens tools, and whether this session has any use for them (spec 02 §5.18, §10.7, 04 §14). */
export const tracelensCollector: Collector = {
  names: ['tracelens'],
  hostBound: false,
  needs: [],
  budgetMs: () => 1000,
  disabled: (config) => (config.external_deps_enabled ? undefined : 'disabled'),
  whenUnknown: { local_external_deps: { tracelens_cli: {} } },
  async collect({ env, sessionDir }): Promise<CollectorAnswer> {
    const path = [env['PATH'] ?? '', ...pythonDirectories(env), ...USUAL_PLACES].join(':');
    const found = Object.fromEntries(
      TRACELENS_CLIS.map((name) => [name, findExecutable(name, path) !== null]),
    );
    const any_present = Object.values(found).some((isThere) => isThere);
    const tracelens_cli = {
      cli_names: TRACELENS_CLIS,
      found,
      any_present,
      root_set: (env['TRACELENS_ROOT'] ?? '').trim() !== '',
      profile_requested: sessionDir === null ? null : isProfileRequested(sessionDir),
    };
    const status = any_present ? 'ok' : 'empty';
    return { verdicts: { tracelens: { status } }, slots: { local_external_deps: { tracelens_cli } } };
  },
};

/** Where the serving Python lies, its tools lie too. */
function pythonDirectories(env: CollectorEnv['env']): string[] {
  return ['MAGPIE_PYTHON', 'PYTHON'].flatMap((name) => {
    const python = env[name]?.trim() ?? '';
    return isAbsolute(python) ? [dirname(python)] : [];
  });
}

/** True when a profile was ever started in this session; null when that cannot be seen. */
function isProfileRequested(sessionDir: string): boolean | null {
  const listing = listDirectory(join(sessionDir, 'runs', 'profile'), 1);
  if (listing.ok) return listing.entries.length > 0;
  return listing.reason === 'missing' ? false : null;
}
