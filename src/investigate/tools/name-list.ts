import { listOr, objectOr } from '../../foreign/json.js';
import type { ToolOutcome } from './tool.js';

const MAX_NAMES = 500;

/** The `data` list of names of an answer, sorted. */
export function nameList(body: unknown, clean: (line: string) => string): ToolOutcome {
  const names = listOr(objectOr(body)['data']).filter((name) => typeof name === 'string');
  const services = [...names].sort().slice(0, MAX_NAMES).map(clean);
  return {
    status: services.length === 0 ? 'empty' : 'ok',
    cls: 'none',
    data: { services, count: services.length },
    count: services.length,
    truncated: names.length > MAX_NAMES,
  };
}
