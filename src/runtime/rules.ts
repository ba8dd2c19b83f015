import type { ConfigField, ConfigFields } from '../foreign/config-field.js';
import type { AgentConfig } from '../reactor/config/fields.js';
import { RULES } from '../signals/registry.js';
import type { Rule, SymptomSpec } from '../signals/rule.js';
import { wrap } from './findings/format.js';
import type { CommandIo, RunCommand } from './shared/command.js';
import { loadStrictConfig } from './shared/load-config.js';
import { createProgram, runProgram, silenced } from './shared/program.js';
import { writeAll } from './shared/streams.js';
import { UserError } from './shared/user-error.js';

interface RulesOptions {
  readonly config?: string;
  readonly sessionDir?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  robustness-agent rules list
  robustness-agent rules explain gpu_memory_leaked
`;

/** `rules list|explain`: what can be reported, when, with which thresholds, and what to do then. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('rules', 'Shows what the agent can report and when.', io).addHelpText(
    'after',
    EXAMPLES,
  );
  const add = (usage: string, summary: string) =>
    silenced(program.command(usage), io)
      .description(summary)
      .option('--config <file>', 'configuration whose thresholds to show')
      .option('--session-dir <dir>', 'session whose configuration file counts')
      .option('--json', 'as JSON');
  add('list', 'Lists every rule with its symptoms.').action((options: RulesOptions) => list(options, io));
  add('explain <name>', 'Explains one rule, or one symptom.').action((name: string, options: RulesOptions) =>
    explain(name, options, io),
  );
  return runProgram(program, argv, io);
};

async function list(options: RulesOptions, io: CommandIo): Promise<void> {
  if (options.json === true)
    return writeAll(io.stdout, `${JSON.stringify(RULES.map((rule) => describe(rule)))}\n`);
  const width = Math.max(...RULES.map(({ name }) => name.length));
  for (const rule of RULES) {
    const names = Object.keys(rule.symptoms).join(', ');
    const [first = '', ...rest] = wrap(names, width + 2);
    await writeAll(io.stdout, `${rule.name.padEnd(width + 2)}${first.trim()}\n`);
    for (const line of rest) await writeAll(io.stdout, `${line}\n`);
  }
}

async function explain(name: string, options: RulesOptions, io: CommandIo): Promise<void> {
  const rule = RULES.find((candidate) => candidate.name === name || Object.hasOwn(candidate.symptoms, name));
  if (rule === undefined) {
    throw new UserError({
      code: 'RA_RULE_UNKNOWN',
      happened: `there is no rule or symptom ${name}`,
      todo: '`rules list` shows all',
    });
  }
  const { config } = loadStrictConfig({
    configFlag: options.config,
    env: io.env,
    cwd: io.cwd,
    sessionDir: options.sessionDir ?? null,
  });
  const symptoms = Object.entries(rule.symptoms).filter(
    ([symptom]) => rule.name === name || symptom === name,
  );
  if (options.json === true) {
    await writeAll(
      io.stdout,
      `${JSON.stringify({ ...describe(rule), thresholds: inForce(rule.config, config) })}\n`,
    );
    return;
  }
  const lines = [
    `rule ${rule.name}`,
    ...symptoms.flatMap(([symptom, spec]) => ['', ...explainSymptom(symptom, spec)]),
    '',
    'settings in force:',
    ...settings(rule.config, config),
    ...(rule.needs.length > 0 ? ['', `undecided without: ${rule.needs.join(', ')}`] : []),
  ];
  await writeAll(io.stdout, `${lines.join('\n')}\n`);
}

const NATURES: Readonly<Record<SymptomSpec['nature'], string>> = {
  state: 'reported as long as it holds',
  event: 'reported while new evidence comes in',
  latched: 'said once per cause',
};

function explainSymptom(name: string, spec: SymptomSpec): string[] {
  const subject = spec.subjectKeys.length > 0 ? `, one per ${spec.subjectKeys.join(' and ')}` : '';
  return [
    `${name} (${spec.severities.join(' or ')})`,
    ...wrap(spec.meaning, 2),
    ...wrap(`What to do: ${spec.action}`, 2),
    ...wrap(`It is ${NATURES[spec.nature]}${subject}.`, 2),
  ];
}

function settings(fields: ConfigFields, config: AgentConfig): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    `  ${name} = ${JSON.stringify(config[name] ?? field.default)}${unitOf(field)}`,
    ...wrap(field.doc, 4),
  ]);
}

function unitOf(field: ConfigField): string {
  return field.type === 'number' || field.type === 'integer' ? ` ${field.unit}` : '';
}

function inForce(fields: ConfigFields, config: AgentConfig) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, config[name] ?? field.default]),
  );
}

function describe(rule: Rule) {
  const symptoms = Object.entries(rule.symptoms).map(([name, spec]) => ({
    name,
    severities: spec.severities,
    subject_keys: spec.subjectKeys,
    nature: spec.nature,
    meaning: spec.meaning,
    action: spec.action,
  }));
  return { rule: rule.name, symptoms, settings: Object.keys(rule.config), needs: rule.needs };
}
