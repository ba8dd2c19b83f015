import { type JsonObject, objectOr } from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { Severity, Symptom } from '../../symptom.js';

/** What a look for the report tools says: nothing, that one is there, or that none is. */
export function tracelensVerdict(cli: JsonObject): 'unknown' | 'present' | Symptom {
  if (Object.keys(cli).length === 0) return 'unknown';
  if (isTruthy(cli['any_present'])) return 'present';
  const names = Array.isArray(cli['cli_names']) ? cli['cli_names'] : [];
  return {
    name: 'tracelens_cli_missing',
    severity: severityOf(cli),
    subject: {},
    source: 'local',
    summary:
      'No TraceLens report tool is on the path, neither of ' +
      `${names.map((name) => pythonText(name)).join(', ') || '(no names given)'}: trace analysis will fail`,
    suggestion: 'Run the TraceLens installer again in the environment of the session.',
    evidence: { cli_names: names, found: objectOr(cli['found']) },
  };
}

/** Urgent only when something in this session needs the tools (spec 04 external_deps-6). */
function severityOf(cli: JsonObject): Severity {
  const { profile_requested: requested, root_set: rootSet } = cli;
  if (requested === undefined && rootSet === undefined) return 'high';
  if (requested === true) return 'high';
  return rootSet === true ? 'medium' : 'low';
}
