import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barChart, calibrationChart } from '../../../src/rx/report/charts.js';
import { heading, list, paragraph, picture, table } from '../../../src/rx/report/document.js';
import { escapeHtml, escapeMarkdown } from '../../../src/rx/report/escape.js';
import { toHtml, toMarkdown } from '../../../src/rx/report/render.js';

const hostile = '<script>alert(1)</script> [x](javascript:1) | `code` & "quote"\n# heading\u001b[31m';

function everywhere(text: string) {
  const chart = barChart(text, [{ name: text, value: 1, note: text }]);
  return [heading(1, text), paragraph(text), list([text]), table([text], [[text]]), picture(chart)];
}

/** Tags of a page by name, as a browser would see them. */
function tags(html: string): Set<string> {
  return new Set([...html.matchAll(/<([a-zA-Z!][a-zA-Z0-9]*)/g)].map((match) => match[1] ?? ''));
}

describe('toHtml', () => {
  const plain = tags(toHtml(everywhere('plain')));

  it('lets no foreign text become markup', () => {
    expect(tags(toHtml(everywhere(hostile)))).toEqual(plain);
    expect(toHtml(everywhere(hostile))).not.toContain('\u001b');
  });

  it('lets none, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tags(toHtml(everywhere(text)))).toEqual(plain);
      }),
    );
  });

  it('refers to nothing outside the page', () => {
    const html = toHtml(everywhere('plain'));
    expect(html).not.toMatch(/<script|<link|src=|href=|@import|url\(/);
    expect(html.match(/https?:/g)).toEqual(['http:']);
    expect(html).toContain('xmlns="http://www.w3.org/2000/svg"');
  });
});

describe('toMarkdown', () => {
  it('keeps a table a table', () => {
    const lines = toMarkdown([table(['a', 'b'], [['x|y', 'line\nbreak']])], { pictures: false })
      .trim()
      .split('\n');
    expect(lines).toEqual(['| a | b |', '| --- | --- |', '| x\\|y | line break |']);
  });

  it('leaves names and brackets readable', () => {
    expect(escapeMarkdown('[planner] plan / agent_error / target')).toBe(
      '[planner] plan / agent_error / target',
    );
  });

  it.each([
    ['[x](javascript:1)', '[x\\](javascript:1)'],
    ['[x]: http://e', '[x\\]: http://e'],
    ['*bold* _soft_ `code`', '\\*bold\\* \\_soft\\_ \\`code\\`'],
    ['<b>', '\\<b\\>'],
    ['&lt;', '&amp;lt;'],
  ])('takes the meaning from %s', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  it.each([
    ['# no heading', '\\# no heading'],
    ['1. no list', '1\\. no list'],
    ['- no item', '\\- no item'],
    ['---', '\\---'],
    ['0.5 stays, -0.5 too', '0.5 stays, -0.5 too'],
  ])('begins no block with %s', (text, expected) => {
    expect(toMarkdown([paragraph(text)], { pictures: false })).toBe(`${expected}\n`);
  });

  it('wraps text at 80 columns and keeps continuations of a list in it', () => {
    const long = `${'word '.repeat(15)}- dash ${'word '.repeat(20)}`;
    const lines = toMarkdown([paragraph(long), list([long])], { pictures: false })
      .trimEnd()
      .split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(81);
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(1);
  });

  it('writes pictures as data URIs, or not at all', () => {
    const chart = picture(barChart('t', [{ name: 'n', value: 1, note: '' }]));
    expect(toMarkdown([chart], { pictures: true })).toMatch(
      /^!\[t\]\(data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+\)\n$/,
    );
    expect(toMarkdown([paragraph('p'), chart], { pictures: false })).toBe('p\n');
  });
});

describe('escapeHtml', () => {
  it('is safe in elements and attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'\n]/);
      }),
    );
  });
});

describe('charts', () => {
  it('draw finite coordinates for empty, equal and negative values', () => {
    const drawings = [
      barChart('none', []),
      barChart(
        'equal',
        [0, 0].map((value) => ({ name: 'n', value, note: '' })),
      ),
      barChart('loss', [{ name: 'n', value: -0.2, note: '', low: -0.4, high: 0.1 }]),
      calibrationChart([], 'empty'),
      calibrationChart([{ from: 0, to: 1, n: 3, mean_probability: 0.5, positive_rate: 1 }], 'one'),
    ];
    for (const { svg } of drawings) expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
