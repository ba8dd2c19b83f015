import { Refused, request } from './api.js';

/** Longer than two pings: a connection so quiet is dead. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Reads server-sent events to their end.
 * @returns {Promise<boolean>} true when the last event was a `final` or an `error`
 */
export async function readEvents(response, onEvent, signal) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const silence = silenceWatch();
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), silence.tooLong]);
      if (signal?.aborted) return true;
      if (done) return false;
      silence.heard();
      buffer += value;
      const blocks = buffer.split('\n\n');
      buffer = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event === null) continue;
        onEvent(event.data, event.id);
        if (event.data.type === 'final' || event.data.type === 'error') return true;
      }
    }
  } finally {
    silence.end();
    reader.cancel().catch(() => undefined);
  }
}

/** Fails when nothing was heard for too long. */
function silenceWatch() {
  let timer;
  let fail = () => undefined;
  const tooLong = new Promise((_resolve, reject) => {
    fail = () => reject(new TypeError('the connection went quiet'));
  });
  tooLong.catch(() => undefined);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(fail, SILENCE_MS);
  };
  heard();
  return { tooLong, heard, end: () => clearTimeout(timer) };
}

function parseBlock(block) {
  let id = null;
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4));
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  if (data === '') return null;
  return { id, data: JSON.parse(data) };
}

/**
 * Follows an investigation until it ends, however often the connection breaks: each time it asks for what came after the
 * last event that arrived.
 *
 * @param first an answer that is already streaming, or null
 * @param hooks `onEvent(event)`, `onLost(seconds)` with the pause before the next try, `onBack()`, and `onRefused(error)` when
 *   there is nothing to go on with
 * @returns a function that tries at once instead of waiting
 */
export function follow(id, first, signal, { onEvent, onLost, onBack, onRefused }) {
  let last = 0;
  let wake = () => undefined;
  const take = (event, number) => {
    if (number !== null && number <= last) return;
    last = number ?? last;
    try {
      onEvent(event);
    } catch (error) {
      // No lost connection: asking again would bring the same.
      reportError(error);
      throw new Refused(400, 'bad_request', 'This investigation holds something that the page cannot show.');
    }
  };
  const run = async () => {
    let response = first;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; ) {
      try {
        response ??= await request(`/investigations/${id}/events?after=${last}`, {
          headers: { 'last-event-id': String(last) },
          signal,
        });
        onBack();
        if (response.status === 204) return;
        pause = FIRST_PAUSE_MS;
        if (await readEvents(response, take, signal)) return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.status < 500) return onRefused(error);
      }
      response = null;
      onLost(pause / 1000);
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause);
      });
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  };
  run();
  return () => wake();
}
