import { isObject, parseJson } from '../../foreign/json.js';
import type { Price } from '../../llm/budget.js';
import { parseSelfeditConfig } from '../../selfedit/config/parse-config.js';
import { readTextBounded } from '../../sources/tools/read-file.js';

const MAX_BYTES = 1024 * 1024;

/** Prices that the operator has written down for `selfedit`, by model; a price is a price. None where that section is wrong. */
export function selfeditPrices(file: string | null): Record<string, Price> {
  const content = file === null ? null : readTextBounded(file, { maxBytes: MAX_BYTES, root: '/' });
  const parsed = content?.ok === true ? parseJson(content.text) : null;
  const section = parsed?.ok === true && isObject(parsed.value) ? parsed.value['selfedit'] : undefined;
  const reading = parseSelfeditConfig(section);
  const prices = reading.ok ? Object.entries(reading.config.prices) : [];
  return Object.fromEntries(
    prices.map(([model, price]) => [model, { inputUsd: price.in, outputUsd: price.out }]),
  );
}
