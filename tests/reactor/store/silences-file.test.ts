import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silencesPath } from '../../../src/reactor/store/paths.js';
import { loadSilences } from '../../../src/reactor/store/silences-file.js';
import { tempDir } from '../../support/temp-dir.js';

function sessionWith(content: string): string {
  const directory = tempDir();
  mkdirSync(dirname(silencesPath(directory)), { recursive: true });
  writeFileSync(silencesPath(directory), content);
  return directory;
}

describe('the operator’s silences', () => {
  it('are none without a file', () => {
    expect(loadSilences(tempDir())).toEqual({ silences: [] });
  });

  it('are read, entries without a name or an end left out', () => {
    const directory = sessionWith('[{"symptom": "disk_pressure", "expires_unix": 5}, {"symptom": "x"}, 7]');
    expect(loadSilences(directory).silences).toMatchObject([{ symptom: 'disk_pressure', expires_unix: 5 }]);
  });

  it.each(['{"symptom": "disk_pressure"}', '[', '"x"'])(
    'are none, and it is said, when the file holds %s',
    (content) => {
      const { silences, problem } = loadSilences(sessionWith(content));
      expect(silences).toEqual([]);
      expect(problem).toContain('silences.json');
    },
  );
});
