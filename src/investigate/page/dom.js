/**
 * A new element. Texts become text nodes: nothing that comes from elsewhere is ever read as markup.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `class`, `data-…`, `aria-…` and other attributes; functions are listeners
 * @param {...(Node | string | null | undefined)} children
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** A number of things: `1 step`, `2 steps`. */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** Unix seconds as UTC, `2026-05-03 12:01:44 UTC`. */
export function utc(seconds) {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return '';
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long ago, roughly. */
export function ago(seconds) {
  const age = Math.max(0, Date.now() / 1000 - seconds);
  if (age < 60) return 'just now';
  if (age < 3600) return `${Math.floor(age / 60)} min ago`;
  if (age < 86_400) return `${Math.floor(age / 3600)} h ago`;
  return utc(seconds).slice(0, 10);
}

export function band(level, text = level) {
  const known = ['low', 'medium', 'high'].includes(level) ? level : 'low';
  return el('span', { class: `band band-${known}` }, text);
}
