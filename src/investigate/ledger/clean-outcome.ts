import type { EvidenceItem } from '../model/evidence.js';
import type { ToolOutcome } from '../tools/tool.js';

/**
 * What a tool found beside its data, with every foreign text cleaned: it goes into receipts, results and prompts as well,
 * and what it says to a model makes its receipt as suspect as the data does.
 */
export function cleanOutcome(outcome: ToolOutcome, clean: (text: string) => string): ToolOutcome {
  const { items, services, failingServices, filePath } = outcome;
  return {
    ...outcome,
    ...(items && { items: items.map((item) => cleanItem(item, clean)) }),
    ...(services && { services: services.map(clean) }),
    ...(failingServices && { failingServices: failingServices.map(clean) }),
    ...(filePath !== undefined && { filePath: clean(filePath) }),
  };
}

function cleanItem(item: EvidenceItem, clean: (text: string) => string): EvidenceItem {
  const { text, entities, fileHint } = item;
  return {
    ...item,
    text: text === null ? null : clean(text),
    entities: entities.map(clean),
    fileHint: fileHint === null ? null : clean(fileHint),
  };
}
