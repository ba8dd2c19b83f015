import { isInForce, type Silence } from '../../decision/ladder/silences.js';
import { replaceFile } from '../../foreign/write-file.js';
import { silencesPath } from '../../reactor/store/paths.js';
import { loadSilences } from '../../reactor/store/silences-file.js';
import { UserError } from '../shared/user-error.js';

/** Silences that ended longer ago than this are dropped with the next change, s. */
const KEPT_AFTER_END_S = 7 * 86_400;
const MAX_SILENCES = 1000;

/**
 * The silences of a session.
 *
 * @throws UserError `RA_SILENCES_UNREADABLE` when the file is there but cannot be understood: changing it would lose it
 */
export function readSilences(sessionDir: string): readonly Silence[] {
  const { silences, problem } = loadSilences(sessionDir);
  if (problem === undefined) return silences;
  throw new UserError({
    code: 'RA_SILENCES_UNREADABLE',
    happened: problem,
    expected: 'a JSON array of silences',
    todo: `correct or remove ${silencesPath(sessionDir)}`,
  });
}

/**
 * Writes the silences, without those that ended long ago.
 *
 * @throws UserError `RA_SILENCES_WRITE`
 */
export function writeSilences(sessionDir: string, silences: readonly Silence[], nowUnix: number): void {
  const kept = silences.filter(({ expires_unix }) => nowUnix - expires_unix < KEPT_AFTER_END_S);
  const path = silencesPath(sessionDir);
  const failure = replaceFile(path, `${JSON.stringify(kept, null, 2)}\n`);
  if (failure === undefined) return;
  throw new UserError({
    code: 'RA_SILENCES_WRITE',
    happened: `${path} cannot be written (${failure.code}): ${failure.message}`,
    expected: 'a writable session directory',
    todo: 'check its owner and the free space',
  });
}

/**
 * The silences with one more.
 *
 * @throws UserError `RA_SILENCES_FULL`
 */
export function withSilence(silences: readonly Silence[], added: Silence, nowUnix: number): Silence[] {
  if (silences.filter((silence) => isInForce(silence, nowUnix)).length >= MAX_SILENCES) {
    throw new UserError({
      code: 'RA_SILENCES_FULL',
      happened: `${MAX_SILENCES} silences are in force`,
      todo: 'remove some, or silence a symptom without naming its subject',
    });
  }
  return [...silences, added];
}

/**
 * The silences without those named, and those removed.
 *
 * @throws UserError `RA_SILENCE_UNKNOWN` when one of the ids names none; nothing is removed then
 */
export function withoutSilences(
  silences: readonly Silence[],
  ids: readonly string[],
): { kept: Silence[]; removed: Silence[] } {
  const unknown = ids.find((id) => !silences.some((silence) => silence.id === id));
  if (unknown !== undefined) {
    throw new UserError({
      code: 'RA_SILENCE_UNKNOWN',
      happened: `there is no silence ${unknown}`,
      todo: '`silence list` shows the ids',
    });
  }
  return {
    kept: silences.filter(({ id }) => !ids.includes(id)),
    removed: silences.filter(({ id }) => ids.includes(id)),
  };
}
