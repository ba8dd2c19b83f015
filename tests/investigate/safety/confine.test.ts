import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConfined, pathProblem } from '../../../src/investigate/safety/confine.js';
import { expandGlobs, globPattern } from '../../../src/investigate/safety/glob.js';
import { safePattern } from '../../../src/investigate/safety/pattern.js';

let base: string;
let root: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'confine-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'runs/a/t-1'), { recursive: true });
  mkdirSync(join(root, '.ssh'));
  writeFileSync(join(base, 'outside.log'), 'outside');
  for (const path of ['runs/a/t-1/server.log', 'server.pem', 'hf_token', 'tokenizer.json', '.ssh/config']) {
    writeFileSync(join(root, path), 'inside');
  }
  symlinkSync(join(base, 'outside.log'), join(root, 'leaves.log'));
  symlinkSync('runs/a/t-1/server.log', join(root, 'stays.log'));
  symlinkSync('server.pem', join(root, 'harmless.log'));
  symlinkSync(base, join(root, 'runs/up'));
  execFileSync('mkfifo', [join(root, 'fifo.log')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a path inside a root', () => {
  it.each(['runs/a/t-1/server.log', 'stays.log', 'tokenizer.json'])('%s is opened', (path) => {
    const opened = openConfined(root, path);
    expect(opened.ok).toBe(true);
    if (opened.ok) closeSync(opened.fd);
  });

  it.each([
    '../outside.log',
    'runs/../../outside.log',
    '/etc/passwd',
    './stays.log',
    'runs//a',
    'a\\b',
    'a\u0000b',
    'leaves.log',
    'runs/up/outside.log',
    'fifo.log',
    'runs',
    'server.pem',
    'harmless.log',
    'hf_token',
    '.ssh/config',
    'x'.repeat(1025),
    Array.from({ length: 33 }, () => 'd').join('/'),
    '\ud800',
    '',
  ])('%j is denied', (path) => {
    expect(openConfined(root, path)).toMatchObject({ ok: false, status: 'denied' });
  });

  it.each([
    '.env',
    '.env.local',
    'a/.git/config',
    'id_rsa',
    'x/ID_ed25519',
    'my-credentials.json',
    'Secret.txt',
    'a.key',
    'api.token',
    'x_TOKEN',
    'token',
  ])('%s is refused by its name', (path) => {
    expect(pathProblem(path)).toBe('files of this name hold secrets');
  });

  it('no path of any shape opens a file outside', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('..', '.', '', 'runs', 'up', 'leaves.log', 'outside.log', '/', '%2e%2e', 'a'),
          { maxLength: 6 },
        ),
        (parts) => {
          const opened = openConfined(root, parts.join('/'));
          if (opened.ok) closeSync(opened.fd);
          expect(opened.ok).toBe(false);
        },
      ),
    );
  });
});

describe('globs', () => {
  it('find regular files only, and enter no linked directory', () => {
    const { files } = expandGlobs(root, ['runs/**/server.log', '*.log']);
    expect(files.map(({ path }) => path).sort()).toEqual([
      'harmless.log',
      'leaves.log',
      'runs/a/t-1/server.log',
      'stays.log',
    ]);
  });

  it.each([
    ['runs/**/*.log', 'runs/a.log', true],
    ['runs/**/*.log', 'runs/a/b/c.log', true],
    ['runs/*.log', 'runs/a/b.log', false],
    ['a?.log', 'ab.log', true],
    ['a?.log', 'a/.log', false],
    ['a.log', 'axlog', false],
  ])('%s on %s: %s', (glob, path, fits) => {
    expect(globPattern(glob).test(path)).toBe(fits);
  });
});

describe('expressions from elsewhere', () => {
  it.each(['(a+)+b', '(a|b*)*', '(.*)\\1', '(?<=x)y', 'a'.repeat(201), '[', 'a*b*c*', '((a)b)*'])(
    '%s is refused',
    (source) => {
      expect(safePattern(source).ok).toBe(false);
    },
  );

  it.each(['error.*task', 'task [0-9]+ failed', 'a|b', '(oom|killed)', 'x{2,5}'])(
    '%s is fine, and quick on any line',
    (source) => {
      const compiled = safePattern(source);
      if (!compiled.ok) throw new Error(compiled.problem);
      const begun = performance.now();
      for (const line of ['a'.repeat(2000), 'error'.repeat(400), 'task 0'.repeat(330)])
        compiled.pattern.test(line);
      expect(performance.now() - begun).toBeLessThan(500);
    },
  );
});
