import { RULES } from '../../signals/registry.js';
import type { SymptomSpec } from '../../signals/rule.js';
import { UserError } from '../shared/user-error.js';

/**
 * The declaration of a symptom that an operator named.
 *
 * @throws UserError `RA_RULE_UNKNOWN`; a silence for a mistyped name would never do anything
 */
export function knownSymptom(name: string): SymptomSpec {
  const rule = RULES.find((candidate) => Object.hasOwn(candidate.symptoms, name));
  const spec = rule?.symptoms[name];
  if (spec !== undefined) return spec;
  const owner = RULES.find((candidate) => candidate.name === name);
  throw new UserError({
    code: 'RA_RULE_UNKNOWN',
    happened: `there is no symptom ${name}`,
    ...(owner && { expected: `one of the rule's symptoms: ${Object.keys(owner.symptoms).join(', ')}` }),
    todo: '`rules list` shows all',
  });
}

/**
 * Subject pairs given as `key=value`.
 *
 * @throws UserError `RA_USAGE` for a pair that the symptom's subject can never have
 */
export function parseSubject(pairs: readonly string[], symptom: string): Record<string, string> {
  const { subjectKeys } = knownSymptom(symptom);
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=');
    const key = at < 0 ? pair : pair.slice(0, at);
    if (at > 0 && subjectKeys.includes(key)) return [key, pair.slice(at + 1)] as const;
    throw new UserError({
      code: 'RA_USAGE',
      happened: `--subject ${pair} cannot match ${symptom}`,
      expected:
        subjectKeys.length > 0 ? `KEY=VALUE with the key ${subjectKeys.join(' or ')}` : 'no subject at all',
    });
  });
  return Object.fromEntries(entries);
}

/** The command that silences a symptom, quoted for a shell. */
export function silenceCommand(
  symptom: string,
  subject: Readonly<Record<string, string>>,
  sessionDir: string,
): string {
  const pairs = Object.entries(subject).map(([key, value]) => `--subject ${shellWord(`${key}=${value}`)}`);
  return [
    'robustness-agent silence add',
    symptom,
    ...pairs,
    '--for 2h --session-dir',
    shellWord(sessionDir),
  ].join(' ');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
