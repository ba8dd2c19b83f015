import type { Json } from '../../foreign/json.js';
import type { Price } from '../../llm/budget.js';
import { parseSelfeditConfig } from '../../selfedit/config/parse-config.js';

/** Prices that the operator has written down for `selfedit`, by model; a price is a price. None where that section is wrong. */
export function selfeditPrices(section: Json | undefined): Record<string, Price> {
  const reading = parseSelfeditConfig(section);
  const prices = reading.ok ? Object.entries(reading.config.prices) : [];
  return Object.fromEntries(
    prices.map(([model, price]) => [model, { inputUsd: price.in, outputUsd: price.out }]),
  );
}
