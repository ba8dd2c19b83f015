import type { SelfeditConfig } from '../config/fields.js';

/** The settings that decide; frozen for an epoch and hashed into its ledger (spec 08 §24.4). */
export type GateRules = Pick<
  SelfeditConfig,
  | 'alpha_epoch'
  | 'confirmations_per_epoch'
  | 'early_alpha_share'
  | 'sample_floor'
  | 'look_every'
  | 'min_effect_abs'
  | 'futility_after'
  | 'harm_evalue'
  | 'max_error_share'
>;

/** Picks them out of the configuration. */
export function gateRulesOf(config: GateRules): GateRules {
  return {
    alpha_epoch: config.alpha_epoch,
    confirmations_per_epoch: config.confirmations_per_epoch,
    early_alpha_share: config.early_alpha_share,
    sample_floor: config.sample_floor,
    look_every: config.look_every,
    min_effect_abs: config.min_effect_abs,
    futility_after: config.futility_after,
    harm_evalue: config.harm_evalue,
    max_error_share: config.max_error_share,
  };
}
