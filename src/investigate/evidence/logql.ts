/** A LogQL selector with an optional substring (spec 07 A3.2): backslash and double quote escaped, nothing else. */
export function buildLogql(service: string, query = '', label = 'compose_service'): string {
  const selector = `{${label}="${escapeText(service)}"}`;
  return query.trim() === '' ? selector : `${selector} |= "${escapeText(query)}"`;
}

/** The same with a case-insensitive choice of words (spec 07 B4.1). */
export function buildLogqlAnyOf(
  service: string,
  words: readonly string[],
  label = 'compose_service',
): string {
  const choice = words.map(escapeRegExp).join('|');
  return `${buildLogql(service, '', label)} |~ "${escapeText(`(?i)(${choice})`)}"`;
}

function escapeText(text: string): string {
  return text.replace(/[\\"]/g, '\\$&');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
