import { tmpdir } from 'node:os';
import { readSettings, type SettingsReading } from '../../src/runtime/investigate/settings.js';

/** The settings that an environment alone gives. */
export function settingsOf(env: Readonly<Record<string, string>>): SettingsReading {
  return readSettings({ env, cwd: tmpdir(), sessionDir: null });
}
