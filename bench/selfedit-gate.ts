// Error rates and power of the confirmation, simulated: node bench/run.mjs bench/selfedit-gate.ts [REPETITIONS]
// Figures of spec 08 §24.4 and §26; seeded, so that every run prints the same numbers.
import type { Case } from '../src/selfedit/cases/case.js';
import { DEFAULT_SELFEDIT_CONFIG } from '../src/selfedit/config/parse-config.js';
import { demoCaseSet } from '../src/selfedit/demo/run-demo.js';
import { Confirmation } from '../src/selfedit/gate/confirmation.js';
import { confirm } from '../src/selfedit/loop/confirm.js';
import { AlphaLedger } from '../src/stats/alpha-ledger.js';
import { Mt19937 } from '../src/stats/mt19937.js';

const rules = DEFAULT_SELFEDIT_CONFIG;
const TRUTHS: readonly (readonly [string, number, number])[] = [
  ['null 2/2', 0.02, 0.02],
  ['null 5/5', 0.05, 0.05],
  ['null 20/20', 0.2, 0.2],
  ['+5 5/0', 0.05, 0],
  ['+10 10/0', 0.1, 0],
  ['+10 15/5', 0.15, 0.05],
  ['+11.5 15.4/3.8', 0.154, 0.038],
  ['+15 18/3', 0.18, 0.03],
  ['-5 3/8', 0.03, 0.08],
  ['-20 5/25', 0.05, 0.25],
];

export async function main(argv: readonly string[]): Promise<void> {
  const repetitions = Number(argv[0] ?? 4000);
  passRates(repetitions);
  epochs(repetitions);
  await providerErrors(2000);
}

function passRates(repetitions: number): void {
  process.stdout.write(`pass rate (mean pairs) at level 0.02, ${repetitions} repetitions\n`);
  process.stdout.write(
    `${'truth'.padEnd(18)}${['N=60', 'N=120', 'N=180', 'N=240'].map((n) => n.padStart(16)).join('')}\n`,
  );
  for (const [name, fixed, broken] of TRUTHS) {
    const cells = [60, 120, 180, 240].map((n) => {
      const random = new Mt19937(1000 + n);
      let passes = 0;
      let pairs = 0;
      for (let i = 0; i < repetitions; i += 1) {
        const confirmation = once(random, fixed, broken, n, 0.02);
        if (confirmation.verdict === 'stat_pass') passes += 1;
        pairs += confirmation.n;
      }
      return `${(passes / repetitions).toFixed(4)} (${Math.round(pairs / repetitions)})`.padStart(16);
    });
    process.stdout.write(`${name.padEnd(18)}${cells.join('')}\n`);
  }
}

/** A/A campaigns: five null confirmations per epoch, levels passed on after a false promotion. */
function epochs(repetitions: number): void {
  process.stdout.write(
    `\nepochs of five null edits with any promotion (bound 0.10), ${repetitions} epochs\n`,
  );
  for (const flips of [0.02, 0.05, 0.2]) {
    const cells = [120, 180].map((n) => {
      const random = new Mt19937(7000 + n);
      let any = 0;
      for (let i = 0; i < repetitions; i += 1) {
        const ledger = new AlphaLedger(rules.alpha_epoch, rules.confirmations_per_epoch);
        let promoted = false;
        for (let alpha = ledger.next; alpha !== null; alpha = ledger.next) {
          const passed = once(random, flips, flips, n, alpha).verdict === 'stat_pass';
          promoted ||= passed;
          ledger.settle(passed ? 'promoted' : 'not_promoted');
        }
        if (promoted) any += 1;
      }
      return `N=${n} ${(any / repetitions).toFixed(4)}`;
    });
    process.stdout.write(`flips ${flips}: ${cells.join('  ')}\n`);
  }
}

function once(random: Mt19937, fixed: number, broken: number, planned: number, alpha: number): Confirmation {
  const confirmation = new Confirmation({ alpha, planned, rules });
  while (confirmation.verdict === null) {
    const u = random.random();
    confirmation.push({ delta: u < fixed ? 1 : u < fixed + broken ? -1 : 0, tried: 1, removed: 0 });
  }
  return confirmation;
}

/** Identical prompts, 15 % of the calls on side A failing; answers equal, or independent draws of the same chance. */
async function providerErrors(runs: number): Promise<void> {
  process.stdout.write(`\nidentical prompts, 15 % of the A calls failing, ${runs} runs of 180 pairs\n`);
  const units = demoCaseSet().confirm.map((one) => [one]);
  for (const mode of ['equal answers', 'independent draws'] as const) {
    const random = new Mt19937(99);
    const verdicts = new Map<string, number>();
    for (let run = 0; run < runs; run += 1) {
      const { confirmation } = await confirm({
        units,
        replicates: 1,
        alpha: 0.02,
        epoch: 1,
        power: 1,
        rules,
        seed: run,
        parallelism: 4,
        known: [],
        makePair: async (testCase) => brokenPair(testCase, random, mode),
        onLook: () => undefined,
      });
      const verdict = `${confirmation.verdict}${confirmation.isVoid ? ' (void)' : ''}`;
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
    const list = [...verdicts].map(([verdict, count]) => `${verdict} ${count}`).join(', ');
    process.stdout.write(`${mode}: stat_pass ${verdicts.get('stat_pass') ?? 0} of ${runs}; ${list}\n`);
  }
}

function brokenPair(testCase: Case, random: Mt19937, mode: 'equal answers' | 'independent draws') {
  const a = Number(random.random() < 0.8);
  const b = mode === 'equal answers' ? a : Number(random.random() < 0.8);
  const fails = random.random() < 0.15;
  return {
    case_id: testCase.case_id,
    segment: testCase.segment,
    replicate: 0,
    order_ab: 'ab',
    score_a: fails ? null : a,
    score_b: b,
    pass_a: fails ? null : a,
    pass_b: b,
    error_a: fails ? 'rate_limit' : null,
    error_b: null,
    tokens_a: 0,
    tokens_b: 0,
    cost_a: 0,
    cost_b: 0,
    latency_a: 0,
    latency_b: 0,
    output_sha256_a: null,
    output_sha256_b: null,
    violation_a: null,
    violation_b: null,
    output_tokens_a: null,
    output_tokens_b: null,
  } as const;
}
