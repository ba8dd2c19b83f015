import type { Block, Document, Picture } from './document.js';
import { escapeHtml, escapeMarkdown, wrapMarkdown } from './escape.js';

export interface MarkdownOptions {
  /** Whether pictures are written, as data URIs; a terminal has no use for them. */
  readonly pictures: boolean;
}

const COLUMNS = 80;

/** A document as Markdown (GitHub flavour), text in 80 columns. */
export function toMarkdown(document: Document, options: MarkdownOptions): string {
  const parts = document.flatMap((block) => {
    if (block.kind === 'picture' && !options.pictures) return [];
    return [markdownBlock(block)];
  });
  return `${parts.join('\n\n')}\n`;
}

/** A document as one HTML page that opens offline: no script, no reference to anything outside. */
export function toHtml(document: Document): string {
  const first = document.find((block) => block.kind === 'heading');
  const title = first?.kind === 'heading' ? first.text : 'Report';
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    ...document.map(htmlBlock),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1a2330; --soft: #5b6675; --line: #d6dce4; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa5b4; --line: #39424e; --paper: #14181d; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
figure { margin: 1.5rem 0; }
figcaption { color: var(--soft); font-size: 0.9rem; }
svg { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); border-radius: 6px; }
`;

function markdownBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeMarkdown(block.text)}`;
    case 'paragraph':
      return wrapMarkdown(escapeMarkdown(block.text), COLUMNS).join('\n');
    case 'list':
      return block.items
        .map((item) => `- ${wrapMarkdown(escapeMarkdown(item), COLUMNS - 2).join('\n  ')}`)
        .join('\n');
    case 'table':
      return [block.header, block.header.map(() => '---'), ...block.rows]
        .map((row, i) => `| ${row.map((cell) => (i === 1 ? cell : escapeMarkdown(cell))).join(' | ')} |`)
        .join('\n');
    case 'picture':
      return `![${escapeMarkdown(block.picture.title)}](${dataUri(block.picture)})`;
  }
}

function htmlBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${escapeHtml(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${escapeHtml(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
    case 'table':
      return `<table><thead><tr>${cells('th', block.header)}</tr></thead><tbody>${block.rows
        .map((row) => `<tr>${cells('td', row)}</tr>`)
        .join('')}</tbody></table>`;
    case 'picture':
      return `<figure>${block.picture.svg}<figcaption>${escapeHtml(block.picture.title)}</figcaption></figure>`;
  }
}

function cells(tag: 'th' | 'td', texts: readonly string[]): string {
  return texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('');
}

function dataUri(drawn: Picture): string {
  return `data:image/svg+xml;base64,${Buffer.from(drawn.svg, 'utf8').toString('base64')}`;
}
