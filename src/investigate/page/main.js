import { getJson, hasToken, Refused, request, session, setToken } from './api.js';
import { ago, byId, counted, el, utc } from './dom.js';
import { markCurrent, showPast } from './past.js';
import { clearResult, showFailure, showResult } from './result.js';
import { follow, readEvents } from './stream.js';
import { createTimeline, progressText } from './timeline.js';

const ID = /^inv-\d{1,12}-[0-9a-f]{8}$/;
const issue = byId('issue');
const PLACEHOLDER = issue.placeholder;

/** The run on show: what ends its stream, and what makes it try again. */
let shown = { id: null, abort: new AbortController(), retry: () => undefined };

async function boot() {
  adoptToken();
  try {
    showCapabilities(await getJson('/capabilities'));
    byId('token-form').hidden = true;
    byId('ask').hidden = false;
    byId('past-box').hidden = false;
    await openFromAddress();
    await refreshPast();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) askToken();
    else notice(describe(error), 'error');
  }
}

/** A token in the fragment never reaches a server or its logs; it is taken out of the address at once. */
function adoptToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (match === null) return;
  try {
    setToken(decodeURIComponent(match[1]));
  } catch {
    setToken(match[1]);
  }
  history.replaceState(null, '', location.pathname);
}

function askToken() {
  byId('token-form').hidden = false;
  byId('token-wrong').hidden = !hasToken();
  byId('ask').hidden = true;
  byId('past-box').hidden = true;
  showWelcome(false);
  byId('token').focus();
}

byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  if (token === '') return;
  setToken(token);
  byId('token').value = '';
  boot();
});

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  ask(issue.value.trim());
});

issue.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask(issue.value.trim());
});

async function ask(message) {
  if (message === '' || byId('send').disabled) return;
  byId('send').disabled = true;
  byId('notices').replaceChildren();
  try {
    const response = await request('/chat', { method: 'POST', body: { message, session_id: session.id } });
    session.id = response.headers.get('x-session-id');
    const id = response.headers.get('x-investigation-id');
    issue.value = '';
    if (id === null) {
      await readEvents(response, onOther);
      return;
    }
    history.pushState(null, '', `#${id}`);
    show(id, withoutSettings(message), Date.now() / 1000);
    listen(id, response);
    refreshPast();
  } catch (error) {
    notice(describe(error), 'error');
  } finally {
    byId('send').disabled = false;
  }
}

/** What the user wrote, less the lines that the server does not keep either. */
function withoutSettings(message) {
  const setting = /^\s*(?:jaeger_url|loki_url|jaeger_auth|loki_auth|github_token|repo|e2b_api_key|e2b_key|service_name)\s*:/i;
  return message.split('\n').filter((line) => !setting.test(line)).join('\n').trim();
}

async function openFromAddress() {
  const id = location.hash.slice(1);
  if (!ID.test(id)) {
    leave();
    return;
  }
  if (id === shown.id) return;
  try {
    const found = await getJson(`/investigations/${id}`);
    show(id, found.issue ?? id, found.created_unix);
    listen(id, null);
    markCurrent(id);
  } catch (error) {
    leave();
    notice(describe(error), 'error');
  }
}

addEventListener('hashchange', () => {
  byId('notices').replaceChildren();
  openFromAddress();
});

function leave() {
  shown.abort.abort();
  shown = { id: null, abort: new AbortController(), retry: () => undefined };
  byId('run').hidden = true;
  showWelcome(true);
  document.title = 'Investigations · robustness-agent';
  markCurrent(null);
}

/** Beside a run the question needs little room. */
function showWelcome(isOn) {
  byId('welcome').hidden = !isOn;
  byId('bands').hidden = !isOn;
  byId('ask').classList.toggle('compact', !isOn);
  issue.placeholder = isOn ? PLACEHOLDER : 'Another failure?';
}

function show(id, title, startedUnix) {
  shown.abort.abort();
  shown = { id, abort: new AbortController(), retry: () => undefined };
  showWelcome(false);
  byId('run').hidden = false;
  byId('run-title').textContent = title;
  byId('run-facts').replaceChildren(el('time', { title: utc(startedUnix) }, `begun ${ago(startedUnix)}`), ` · ${id}`);
  byId('run-status').textContent = 'Starting…';
  byId('cancel').hidden = false;
  byId('cancel').disabled = false;
  byId('connection').hidden = true;
  byId('run').classList.add('is-running');
  document.title = `… ${title.slice(0, 60)}`;
  clearResult();
}

function listen(id, first) {
  const timeline = createTimeline(id);
  const { signal } = shown.abort;
  const onEvent = (event) => {
    if (event.type === 'step') {
      timeline.add(event);
      byId('run-status').textContent = `${counted(timeline.count, 'step')} so far; the last: ${event.tool}`;
    } else if (event.type === 'progress') {
      byId('run-status').textContent = progressText(event, timeline.count);
    } else if (event.type === 'final') {
      const wasCancelled = byId('cancel').disabled && !byId('cancel').hidden;
      const end = wasCancelled ? 'Cancelled; this is what was found until then, after' : 'Done after';
      const { confidence_level: level, error_type: type } = event.result.root_cause;
      finish(`${end} ${counted(timeline.count, 'step')}: ${type.replaceAll('_', ' ')}, confidence ${level}.`);
      showResult(event.result);
      document.title = `${level}: ${byId('run-title').textContent.slice(0, 60)}`;
    } else if (event.type === 'error') {
      finish(`Ended without a result after ${counted(timeline.count, 'step')}.`);
      showFailure(event.message);
    } else onOther(event);
  };
  shown.retry = follow(id, first, signal, {
    onEvent,
    onLost(seconds) {
      byId('connection').hidden = false;
      byId('connection-text').textContent = `The connection is lost; the investigation goes on. Trying again${seconds < 1 ? '' : ` in ${seconds} s`}.`;
    },
    onBack() {
      byId('connection').hidden = true;
    },
    onRefused(error) {
      finish('');
      showFailure(error.message);
    },
  });
}

function finish(text) {
  byId('run').classList.remove('is-running');
  byId('connection').hidden = true;
  byId('cancel').hidden = true;
  byId('run-status').textContent = text;
  document.title = byId('run-title').textContent.slice(0, 60);
  refreshPast();
}

/** Events about the conversation rather than the run. */
function onOther(event) {
  if (event.type === 'setup') {
    showCapabilities(event);
    notice(event.message, 'setup');
  } else if (event.type === 'elicit') notice(event.message, 'elicit');
  else if (event.type === 'error') notice(event.message, 'error');
}

byId('cancel').addEventListener('click', async () => {
  byId('cancel').disabled = true;
  try {
    await request(`/investigations/${shown.id}`, { method: 'DELETE' });
    byId('run-status').textContent = 'Cancelling…';
  } catch (error) {
    notice(describe(error), 'error');
  }
});

byId('retry').addEventListener('click', () => shown.retry());

byId('home').addEventListener('click', (event) => {
  event.preventDefault();
  history.pushState(null, '', location.pathname);
  leave();
  issue.focus();
});

function showCapabilities({ configured, unavailable }) {
  const chip = (name, isOn) =>
    el(
      'li',
      { class: isOn ? 'chip chip-on' : 'chip' },
      el('span', { class: 'dot', 'aria-hidden': 'true' }),
      name,
      el('span', { class: 'hidden-text' }, isOn ? ', configured' : ', not configured'),
    );
  byId('capabilities').replaceChildren(
    ...configured.map((name) => chip(name, true)),
    ...unavailable.map((name) => chip(name, false)),
  );
}

async function refreshPast() {
  try {
    await showPast(shown.id);
  } catch (error) {
    notice(`The list could not be read. ${describe(error)}`, 'error');
  }
}

function notice(text, kind) {
  byId('notices').append(el('p', { class: `notice notice-${kind}` }, text));
}

function describe(error) {
  return error instanceof Refused ? error.message : 'The server does not answer.';
}

/** On a narrow screen the list would stand before the question. */
if (matchMedia('(max-width: 60rem)').matches) byId('past-box').open = false;

boot();
