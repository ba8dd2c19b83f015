// Promotes a text in a process of its own: STATE_DIRECTORY TEXT [STEP at which to die]
import { PromptRegistry } from '../../../src/selfedit/registry/registry.js';

const [directory = '', text = '', dieAt] = process.argv.slice(2);
const registry = new PromptRegistry({
  directory: `${directory}/registry/rca`,
  lock: `${directory}/selfedit.lock`,
  onStep: (step) => {
    if (step === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
const base = registry.current();
if (base === null) process.exit(3);
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void registry.promote(base, text, { hypothesis: `process ${process.pid}` }).then((outcome) => {
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
    process.exit(0);
  });
});
