import { BettingEProcess } from '../../stats/betting-e-process.js';
import { signTest } from '../../stats/sign-test.js';
import type { GateRules } from './rules.js';

/** How a confirmation ends by itself (spec 08 §24.4). */
export type ConfirmationVerdict = 'stat_pass' | 'harm' | 'futile' | 'inconclusive' | 'invalid_run';

/** One unit (a case, or all cases of a group) as it came in, in planned order. */
export interface UnitResult {
  /** Mean of pass_B − pass_A over what is complete; null when nothing is. */
  readonly delta: number | null;
  /** Pairs tried, and those removed for an error on either side. */
  readonly tried: number;
  readonly removed: number;
}

/** The figures at one look. */
export type Look = {
  readonly n: number;
  readonly wins: number;
  readonly losses: number;
  readonly log_e: number;
  readonly log_e_harm: number;
  readonly p_sign: number;
};

/** What an earlier confirmation of the same edit on the same base has left, on cases that do not come again (spec 08 §24.10). */
export interface PriorEvidence {
  /** Logarithm of its e-value. */
  readonly logE: number;
  readonly wins: number;
  readonly losses: number;
  readonly n: number;
  /** It passed, and a guard stopped the edit. */
  readonly hasPassed: boolean;
}

/** Settings of one confirmation. */
export interface ConfirmationOptions {
  /** α_t. */
  readonly alpha: number;
  /** Units planned. */
  readonly planned: number;
  readonly rules: GateRules;
  /**
   * For an extension: e-values on disjoint cases multiply, and their product is held against the sequential share of the same
   * level. The final part has had its look and does not come again; a pass is not reopened, only harm can undo it.
   */
  readonly prior?: PriorEvidence;
}

/**
 * The sequential test of one edit (spec 08 §24.4): looks at `sample_floor`, then every `look_every` complete units, and at
 * the last planned one; at each in this order error share, betting e-process, harm, the exact sign test (last look only),
 * futility. Between looks nothing stops. A pure function of the results in planned order.
 */
export class Confirmation {
  readonly #options: ConfirmationOptions;
  readonly #gain = new BettingEProcess();
  readonly #harm = new BettingEProcess();
  readonly #looks: Look[] = [];
  #units = 0;
  #n = 0;
  #wins = 0;
  #losses = 0;
  #sum = 0;
  #tried = 0;
  #removed = 0;
  #looksBegun = 0;
  #verdict: ConfirmationVerdict | null = null;

  constructor(options: ConfirmationOptions) {
    this.#options = options;
  }

  /** Adds the next unit; null means: go on. Refuses units after the verdict with a RangeError. */
  push({ delta, tried, removed }: UnitResult): ConfirmationVerdict | null {
    if (this.#verdict !== null) throw new RangeError('the confirmation has already ended');
    this.#units += 1;
    this.#tried += tried;
    this.#removed += removed;
    if (delta !== null) this.#add(delta);
    const isLast = this.#units >= this.#options.planned;
    if (isLast || (delta !== null && this.#isLook())) this.#verdict = this.#look(isLast);
    return this.#verdict;
  }

  /** Units to run before the next look can come; running fewer changes nothing, running more is waste. */
  get unitsToLook(): number {
    const { sample_floor: floor, look_every: every } = this.#options.rules;
    const next = this.#n < floor ? floor : floor + (Math.floor((this.#n - floor) / every) + 1) * every;
    return Math.min(next - this.#n, this.#options.planned - this.#units);
  }

  get verdict(): ConfirmationVerdict | null {
    return this.#verdict;
  }

  get n(): number {
    return this.#n;
  }

  get wins(): number {
    return this.#wins;
  }

  get losses(): number {
    return this.#losses;
  }

  /** Mean of δ over complete units. */
  get meanDelta(): number {
    return this.#n === 0 ? 0 : this.#sum / this.#n;
  }

  get units(): number {
    return this.#units;
  }

  /** Share of the pairs tried so far that were removed. */
  get errorShare(): number {
    return this.#tried === 0 ? 0 : this.#removed / this.#tried;
  }

  /** Exact one-sided sign p of the wins and losses so far. */
  get pSign(): number {
    return signTest(this.#wins, this.#losses);
  }

  get logE(): number {
    return this.#gain.logE;
  }

  get looks(): readonly Look[] {
    return this.#looks;
  }

  /** True when it was found invalid at its first look, before any statistic was computed: the level is given back. */
  get isVoid(): boolean {
    return this.#verdict === 'invalid_run' && this.#looksBegun === 1;
  }

  #add(delta: number): void {
    this.#n += 1;
    this.#sum += delta;
    if (delta > 0) this.#wins += 1;
    if (delta < 0) this.#losses += 1;
    this.#gain.push(delta);
    this.#harm.push(-delta);
  }

  #isLook(): boolean {
    const { sample_floor: floor, look_every: every } = this.#options.rules;
    return this.#n >= floor && (this.#n - floor) % every === 0;
  }

  #look(isLast: boolean): ConfirmationVerdict | null {
    const { alpha, rules } = this.#options;
    this.#looksBegun += 1;
    if (this.errorShare > rules.max_error_share) return 'invalid_run';
    this.#looks.push({
      n: this.#n,
      wins: this.#wins,
      losses: this.#losses,
      log_e: this.#gain.logE,
      log_e_harm: this.#harm.logE,
      p_sign: this.pSign,
    });
    const { prior = NO_EVIDENCE } = this.#options;
    const net = this.#wins - this.#losses;
    const effect = (net + prior.wins - prior.losses) / (this.#n + prior.n);
    const isEnough = this.#n >= rules.sample_floor && effect >= rules.min_effect_abs;
    const early = rules.early_alpha_share * alpha;
    const logE = this.#gain.logE + prior.logE;
    if (logE >= -Math.log(early) && isEnough && !prior.hasPassed) return 'stat_pass';
    if (this.#harm.logE >= Math.log(rules.harm_evalue)) return 'harm';
    if (isLast) {
      if (prior.hasPassed && isEnough) return 'stat_pass';
      if (this.#options.prior === undefined && isEnough && this.pSign <= alpha - early) return 'stat_pass';
      return net <= 0 ? 'futile' : 'inconclusive';
    }
    return this.#n >= rules.futility_after && net <= 0 && !prior.hasPassed ? 'futile' : null;
  }
}

const NO_EVIDENCE: PriorEvidence = { logE: 0, wins: 0, losses: 0, n: 0, hasPassed: false };
