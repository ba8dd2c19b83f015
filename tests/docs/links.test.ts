import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.js';

const pages = [...readdirSync('.'), ...filesBelow('docs')].filter((path) => path.endsWith('.md'));

/** Targets of the relative links of a page, without code blocks. */
function linksOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Anchors of a page as forges make them of its headings. */
function anchorsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('links between pages', () => {
  it.each(pages)('of %s lead somewhere', (page) => {
    const dead = linksOf(page).filter((target) => {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      if (!existsSync(path)) return true;
      return anchor !== undefined && !anchorsOf(path).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

describe('texts for people', () => {
  it.each(pages)('of %s hold no path of a machine that they were written on', (page) => {
    expect(readFileSync(page, 'utf8')).not.toMatch(/\/(?:home|root|work)\/\w/);
  });
});
