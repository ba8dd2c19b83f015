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
  for (const { time, text } of lines) {
    list.append(el('li', {}, el('span', { class: 'time' }, time), el('span', {}, ...marked(text, quote))));
  }
  return list;
}

/** Log lines and source are read as lines, not as JSON. */
function linesOf(payload) {
  if (Array.isArray(payload.entries) && payload.entries.length > 0) {
    return payload.entries.map((entry) => ({
      time: timeOf(entry.timestamp),
      text: typeof entry.line === 'string' ? entry.line : JSON.stringify(entry),
    }));
  }
  if (typeof payload.slice === 'string' && payload.slice !== '') {
    return payload.slice.split('\n').map((text) => ({ time: '', text }));
  }
  return null;
}

function timeOf(stamp) {
  if (typeof stamp !== 'string' || !/^\d{19}$/.test(stamp)) return typeof stamp === 'string' ? stamp : '';
  return new Date(Number(stamp.slice(0, 13))).toISOString().slice(11, 23);
}

/** A text as nodes with each occurrence of a quote marked. */
function marked(text, quote) {
  const forms = typeof quote === 'string' && quote.trim() !== '' ? [quote, JSON.stringify(quote).slice(1, -1)] : [];
  const form = forms.find((candidate) => text.includes(candidate));
  if (form === undefined) return [text];
  return text.split(form).flatMap((part, index) => (index === 0 ? [part] : [el('mark', {}, form), part]));
}
