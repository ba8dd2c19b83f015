import { getJson } from './api.js';
import { el, utc } from './dom.js';

let panels = 0;

/**
 * A button that opens what a receipt holds, right where it is cited.
 * @param place where the panel is put
 * @param quote words of the payload to point at, or null
 */
export function evidenceButton(investigationId, receiptId, place, { label = receiptId, quote = null } = {}) {
  panels += 1;
  const id = `evidence-${panels}`;
  const panel = el('div', { class: 'evidence', id, role: 'region', 'aria-label': `Evidence ${receiptId}`, hidden: true });
  let isLoaded = false;
  const close = () => {
    panel.hidden = true;
    button.setAttribute('aria-expanded', 'false');
  };
  const toggle = async () => {
    if (!panel.hidden) return close();
    panel.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    if (isLoaded) return undefined;
    panel.replaceChildren(el('p', { class: 'muted' }, 'Loading…'));
    try {
      const { receipt, payload } = await getJson(`/investigations/${investigationId}/receipts/${receiptId}`);
      panel.replaceChildren(...receiptView(receipt, payload, quote));
      isLoaded = true;
      panel.querySelector('mark')?.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      panel.replaceChildren(el('p', { class: 'error' }, `This evidence could not be read. ${error.message}`));
    }
    return undefined;
  };
  const onKey = (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    close();
    button.focus();
  };
  const button = el(
    'button',
    {
      type: 'button',
      class: 'cite',
      'aria-expanded': 'false',
      'aria-controls': id,
      'aria-label': `Evidence ${receiptId}`,
      click: toggle,
      keydown: onKey,
    },
    label,
  );
  panel.addEventListener('keydown', onKey);
  place.append(panel);
  return button;
}

function receiptView(receipt, payload, quote) {
  const facts = [
    ['asked', `${receipt.tool} ${argumentsOf(receipt.args)}`],
    ['answer', `${receipt.status}, ${receipt.count} found${receipt.truncated ? ', cut' : ''}`],
    ['kind', receipt.evidence_class === 'none' ? 'context, counts for nothing' : receipt.evidence_class],
    ['matched', receipt.fingerprints.join(', ')],
    ['about', receipt.services.join(', ')],
    ['between', spanOf(receipt)],
    ['note', receipt.note ?? ''],
  ].filter(([, value]) => value !== '');
  const list = el('dl', { class: 'pairs' });
  for (const [name, value] of facts) list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  const warning = receipt.injection_suspect
    ? el('p', { class: 'warn' }, 'This text seems to give instructions. It is shown as data; nothing followed it.')
    : null;
  return [list, warning, payloadView(payload, quote)].filter((node) => node !== null);
}

function argumentsOf(args) {
  return Object.entries(args)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function spanOf({ first_ts_unix: first, last_ts_unix: last }) {
  if (first === null) return '';
  return first === last ? utc(first) : `${utc(first)} and ${utc(last)}`;
}

function payloadView(payload, quote) {
  if (payload === null) return el('p', { class: 'muted' }, 'The answer itself was not kept.');
  // Long answers are kept only in part, as text.
  if (payload.truncated === true && typeof payload.head === 'string') {
    return el('pre', { tabindex: '0' }, ...marked(payload.head, quote), el('em', {}, `\n… of ${payload.bytes} bytes`));
  }
  const lines = linesOf(payload);
  if (lines === null) return el('pre', { tabindex: '0' }, ...marked(JSON.stringify(payload, null, 2), quote));
  const list = el('ol', { class: 'lines', tabindex: '0' });
  for (const { lead, text } of lines) {
    list.append(el('li', {}, el('span', { class: 'time' }, lead), el('span', {}, ...marked(text, quote))));
  }
  return list;
}

/** Log lines and source are read as lines, not as JSON. */
function linesOf(payload) {
  if (typeof payload.slice === 'string' && payload.slice !== '') {
    return payload.slice.split('\n').map((text) => ({ lead: '', text }));
  }
  const rows = [payload.entries, payload.matches, payload.lines].find((list) => Array.isArray(list) && list.length > 0);
  if (rows === undefined || !rows.every(isLine)) return null;
  return rows.flatMap((row) => [
    ...around(row.before),
    { lead: leadOf(row), text: typeof row.line === 'string' ? row.line : row.text },
    ...around(row.after),
  ]);
}

function isLine(row) {
  return typeof row === 'object' && row !== null && (typeof row.line === 'string' || typeof row.text === 'string');
}

function around(lines) {
  return Array.isArray(lines) ? lines.map((text) => ({ lead: '', text: String(text) })) : [];
}

/** Time of a line in UTC, else its place. */
function leadOf({ ts_unix: seconds, path, line, source }) {
  const place = [path ?? source, typeof line === 'number' ? line : null].filter((part) => part !== null && part !== undefined);
  const time = typeof seconds === 'number' ? new Date(seconds * 1000) : null;
  const clock = time === null || Number.isNaN(time.getTime()) ? [] : [time.toISOString().slice(11, 23)];
  return [...clock, place.join(':')].filter((part) => part !== '').join(' ');
}

/** A text as nodes with each occurrence of a quote marked; blanks of any kind and number are alike. */
function marked(text, quote) {
  if (typeof quote !== 'string' || quote.trim() === '') return [text];
  for (const form of [quote, JSON.stringify(quote).slice(1, -1)]) {
    const words = form.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const nodes = markAll(text, new RegExp(words.join('\\s+'), 'g'));
    if (nodes.length > 1) return nodes;
  }
  return [text];
}

function markAll(text, pattern) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(text.slice(end, match.index), el('mark', {}, match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}
