import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileTree } from '../../../src/investigate/evidence/file-tree.js';
import { matchEvidence } from '../../../src/investigate/evidence/fingerprints.js';
import { framesOfLines, framesOfText, parseFrame } from '../../../src/investigate/evidence/frames.js';
import { distinctiveLiterals } from '../../../src/investigate/evidence/literals.js';

describe('a stack frame', () => {
  it.each([
    [
      '   at cart.Store.Empty(String id) in /usr/src/app/src/Store.cs:line 194',
      '/usr/src/app/src/Store.cs',
      194,
    ],
    ['  File "/opt/app/engine.py", line 12, in step', '/opt/app/engine.py', 12],
    ['    at charge (/app/src/charge.js:37:11)', '/app/src/charge.js', 37],
    ['\t/build/src/main.go:733 +0x1d', '/build/src/main.go', 733],
    ['	at oteldemo.AdService.getAds(AdService.java:200)', 'AdService.java', 200],
  ])('%s', (line, path, number) => {
    expect(parseFrame(line)).toMatchObject({ path, line: number, isLibrary: false });
  });

  it.each([
    'at 12:30:15 all is well',
    'listening on 0.0.0.0:8080',
    'main.go:7 without a directory',
    'see http://host:80/x',
    'traces export: File "/a/b.py", line 3',
  ])('%s is none', (line) => {
    expect(parseFrame(line)).toBeNull();
  });

  it('of any line is found in no time', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (line) => {
        const begun = performance.now();
        parseFrame(line);
        expect(performance.now() - begun).toBeLessThan(100);
      }),
    );
    for (const line of [
      'a/'.repeat(1000),
      '('.repeat(2000),
      '(/'.repeat(1000),
      'in '.repeat(666),
      '@'.repeat(2000),
    ]) {
      const begun = performance.now();
      parseFrame(line);
      expect(performance.now() - begun).toBeLessThan(200);
    }
  });
});

describe('a stack trace', () => {
  const python = [
    'Traceback (most recent call last):',
    '  File "/app/serve.py", line 3, in main',
    '    run()',
    '  File "/app/engine.py", line 12, in run',
    '    torch.empty(n)',
    '    ^^^^^^^^^^^^^^',
    '  File "/usr/lib/python3/dist-packages/torch/x.py", line 900, in empty',
    '    raise',
    'RuntimeError: boom',
  ];

  it('gives its innermost own frame: the last of Python, the first of others', () => {
    expect(framesOfText(python.join('\n'))).toEqual([{ path: '/app/engine.py', line: 12, isLibrary: false }]);
    const node = ['Error: x', '    at f (/app/a.js:1:1)', '    at g (/app/b.js:2:2)'];
    expect(framesOfText(node.join('\n'))).toMatchObject([{ path: '/app/a.js', line: 1 }]);
  });

  it('of library frames alone gives the innermost of them', () => {
    const node = ['    at f (/app/node_modules/x/a.js:1:1)', '    at g (/app/node_modules/y/b.js:2:2)'];
    expect(framesOfText(node.join('\n'))).toMatchObject([
      { path: '/app/node_modules/x/a.js', isLibrary: true },
    ]);
  });

  it('ends where lines of its source are missing', () => {
    const at = (line: number, text: string) => ({ source: 'a.log', line, tsUnix: null, text });
    const frames = [at(1, '  File "/app/a.py", line 1, in x'), at(2, '  File "/app/b.py", line 2, in y')];
    expect(framesOfLines(frames).map(({ frame }) => frame.path)).toEqual(['/app/b.py']);
    const apart = [frames[0], { ...at(9, ''), text: frames[1]?.text ?? '' }].flatMap((line) => line ?? []);
    expect(framesOfLines(apart).map(({ frame }) => frame.path)).toEqual(['/app/a.py', '/app/b.py']);
  });
});

describe('a container path', () => {
  const tree = createFileTree([
    'src/cart/src/store/Store.cs',
    'src/ad/src/store/Store.cs',
    'src/ad/Only.java',
    'lib/x/util.py',
    'a/util.py',
  ]);
  const resolve = (path: string, isLibrary = false) => tree.resolve({ path, isLibrary });

  it.each([
    ['/usr/src/app/cart/src/store/Store.cs', 'src/cart/src/store/Store.cs'],
    ['Only.java', 'src/ad/Only.java'],
    ['/app/x/util.py', 'lib/x/util.py'],
    ['/app/src/store/Store.cs', null],
    ['Store.cs', null],
    ['/app/none.py', null],
  ])('%s means %s', (path, wanted) => {
    expect(resolve(path)).toBe(wanted);
  });

  it('of a library needs everything below its directory', () => {
    expect(resolve('/venv/site-packages/x/util.py', true)).toBe('lib/x/util.py');
    expect(resolve('/venv/site-packages/y/x/util.py', true)).toBeNull();
  });
});

describe('distinctive literals', () => {
  const literalsOf = (line: string): string[] => {
    const hit = matchEvidence(line);
    if (hit === null) throw new Error('no fingerprint');
    return distinctiveLiterals(hit.line, hit.fingerprint);
  };

  it('are words in a row outside what the fingerprint matched', () => {
    expect(literalsOf('AdService - GetAds Failed with status Status{code=UNAVAILABLE}')).toEqual([
      'GetAds Failed with',
      'Failed with status',
      'with status Status',
    ]);
  });

  it.each([
    'context deadline exceeded: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    'a b c OOMKilled',
    'job 12 of 77 OOMKilled',
  ])('%s has none', (line) => {
    expect(literalsOf(line)).toEqual([]);
  });
});
