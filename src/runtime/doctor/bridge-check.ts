import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { bridgeDirectory, isSafePath, probeBridge, ROOT_MARKER } from '../shared/bridge.js';
import { type Check, fail, info, ok, warn } from './check.js';

const NAME = 'bridge';
const HOW = '`robustness-agent bridge` prints the line to export';

/** Whether the Coordinator runs this agent, as far as the environment tells (spec 01 §1.10). */
export async function bridgeCheck(env: Readonly<Record<string, string | undefined>>): Promise<Check> {
  const own = bridgeDirectory();
  if (own === undefined)
    return fail(NAME, 'missing from this installation', 'install robustness-agent again');
  const root = env['ROBUSTNESS_AGENT_ROOT'] ?? '';
  if (root === '') return info(NAME, `${own}, not in use: ROBUSTNESS_AGENT_ROOT is not set`, HOW);
  const named = resolve(root.replace(/^~(?=\/|$)/, homedir()));
  if (!existsSync(join(named, ROOT_MARKER)))
    return fail(
      NAME,
      `ROBUSTNESS_AGENT_ROOT is ${root}, without ${ROOT_MARKER}: the Coordinator stops there`,
      HOW,
    );
  return probed(named, own, env);
}

async function probed(
  root: string,
  own: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check> {
  const probe = await probeBridge(root, env);
  const where = root === own ? root : `${root} (this installation has ${own})`;
  if (probe.kind === 'works') return ok(NAME, `${where} works with ${probe.python}`);
  if (probe.kind === 'no_python')
    return warn(
      NAME,
      `${where} not checked: there is no ${probe.wanted} on PATH`,
      'run `robustness-agent bridge --check --python PROGRAM`',
    );
  const todo = isSafePath(env) ? `PYTHONSAFEPATH hides it: ${HOW} that helps` : HOW;
  return fail(NAME, `${where} does not work with ${probe.python}: ${probe.reason}`, todo);
}
