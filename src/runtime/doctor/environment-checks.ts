import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeFailure } from '../../foreign/write-file.js';
import { agentDirectory } from '../../reactor/store/paths.js';
import { sqliteDriver } from '../../sources/bus/sqlite-driver.js';
import { readHostFacts } from '../../sources/host/host-facts.js';
import { findExecutable } from '../../sources/tools/find-executable.js';
import { isSafePath } from '../shared/bridge.js';
import { type Check, fail, info, ok, warn } from './check.js';

const HOST_FACTS_MS = 3000;
const OLDEST_NODE = [20, 19] as const;
const TOOLS: readonly { readonly name: string; readonly serves: string }[] = [
  { name: 'amd-smi', serves: 'AMD GPUs' },
  { name: 'rocm-smi', serves: 'AMD GPUs, older stacks' },
  { name: 'nvidia-smi', serves: 'NVIDIA GPUs' },
  { name: 'ray', serves: 'Ray clusters' },
];

/** The Node that runs us. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNew) return ok('node', version);
  return fail('node', version, `install Node ${OLDEST_NODE.join('.')} or newer`);
}

/** Whether the database can be read at all on this machine. */
export function driverCheck(): Check {
  const driver = sqliteDriver();
  if (driver.ok) return ok('sqlite', 'better-sqlite3 is loaded');
  return fail(
    'sqlite',
    driver.detail,
    'ticks work, but do not see the bus: docs/install.md, "SQLite", says what to do',
  );
}

/** Tools of which one usually is missing: that is no fault, but says what cannot be seen. */
export function toolChecks(path: string | undefined): Check[] {
  return TOOLS.map(({ name, serves }) => {
    const found = findExecutable(name, path);
    if (found !== null) return ok(name, found);
    return info(name, 'not on PATH', `needed only for ${serves}`);
  });
}

/** Whether findings and state can be written. */
export function writableCheck(sessionDir: string): Check {
  const directory = agentDirectory(sessionDir);
  const place = existsSync(directory) ? directory : sessionDir;
  try {
    accessSync(place, constants.W_OK);
    rmSync(mkdtempSync(join(place, '.doctor-')), { recursive: true });
    return ok('writable', `${place} takes files`);
  } catch (error) {
    const { message } = describeFailure(error);
    return fail('writable', message, `findings and state go to ${directory}: give this user write access`);
  }
}

/** The environment variable that would bypass the bridge (spec 01 §1.10). */
export function pythonCheck(env: Readonly<Record<string, string | undefined>>): Check[] {
  if (!isSafePath(env)) return [];
  return [
    warn(
      'python',
      'PYTHONSAFEPATH is set',
      'Python then ignores the working directory, and with it the bridge: unset it for the Coordinator, or export ' +
        'PYTHONPATH too, as `robustness-agent bridge` prints it',
    ),
  ];
}

/** What kind of machine this is; nothing to judge. */
export async function hostCheck(): Promise<Check> {
  const {
    distribution,
    kernel,
    cpu_cores: cores,
    total_mb: total,
    virtualization,
  } = await readHostFacts(HOST_FACTS_MS);
  const parts = [
    distribution,
    kernel,
    cores === null ? '' : `${cores} cores`,
    total === null ? '' : `${Math.round(total / 1024)} GiB`,
    virtualization === '' ? '' : `virtual (${virtualization})`,
  ].filter((part) => part !== '');
  return info('host', parts.length > 0 ? parts.join(', ') : 'nothing could be read');
}
