import { isObject, type Json, parseJson } from '../../foreign/json.js';
import type { Tool } from '../tools/tool.js';

/** Fields of a request that its sender writes, and the template that stands for each (spec 07 B12, C2). */
const TEMPLATES: readonly { readonly keys: string; readonly template: string }[] = [
  { keys: '(?:http[._])?user[._-]?agent', template: '<user agent>' },
  { keys: '(?:http[._])?referr?er', template: '<referer>' },
  {
    keys: '(?:http[._])?(?:request[._-]?)?body|request[._-]?payload|form[._-]?data',
    template: '<body>',
  },
  { keys: '(?:http[._])?query[._-]?string|(?:http[._])?url[._]query|search', template: '<query>' },
  {
    keys: 'user[._-]?name|display[._-]?name|full[._-]?name|first[._-]?name|last[._-]?name|nick[._-]?name|comment|e-?mail',
    template: '<text of a user>',
  },
];
/** A value in quotes, in quotes inside a quoted text, in single ones, or bare; each captures its quotes. */
const VALUES = [
  '(")(?:[^"\\\\]|\\\\.){0,4000}(")',
  '(\\\\{1,3}")(?:[^"\\\\]|\\\\(?=[^"\\\\])){0,4000}(\\\\{1,3}")',
  "(')[^']{0,4000}(')",
  '[^\\s"\'\\\\,;&|)}\\]]{1,4000}',
].join('|');
const FIELDS = TEMPLATES.map(({ keys, template }) => ({
  key: new RegExp(`^(?:${keys})$`, 'i'),
  pair: new RegExp(`((?<![\\w.-])(?:${keys})\\\\{0,3}["']?[ \\t]{0,4}[:=][ \\t]{0,4})(?:${VALUES})`, 'gi'),
  template,
}));
const REQUEST = /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s"?]{0,2000})(\?[^\s"]{0,4000})?/g;
const QUERY = /((?:[a-z][a-z0-9+.-]{1,12}:\/\/[^\s?"'<>]{1,500}|\/[^\s?"'<>]{0,500}))\?[^\s"'<>]{1,4000}/gi;
/** The last two fields of the combined log format: where a visitor came from, and with what. */
const COMBINED = /(" \d{3} (?:\d+|-)) "[^"]{0,4000}" "[^"]{0,4000}"/g;
const LONGEST_SEGMENT = 40;
const MAX_DEPTH = 6;

/**
 * A log line in which templates stand for what the sender of a request wrote: text that anybody can send says nothing
 * about a system, and may have been written for whoever reads it.
 */
export function withTemplates(line: string): string {
  const parsed = line.startsWith('{') ? parseJson(line) : null;
  if (parsed?.ok === true && isObject(parsed.value)) return JSON.stringify(inJson(parsed.value, 0));
  return inText(line);
}

/** A log tool whose lines are read with templates in them, by code and model alike. */
export function readingTemplates(tool: Tool): Tool {
  if (tool.family !== 'loki') return tool;
  return {
    ...tool,
    run: (args, context) =>
      tool.run(args, { ...context, clean: (line) => withTemplates(context.clean(line)) }),
  };
}

/** A log line in which what users typed is cut, wherever it is longer than that. */
export function withShortUserFields(line: string, longest: number, cut: (value: string) => string): string {
  if (line.length <= longest) return line;
  return replaceValues(line, (value) => (value.length > longest ? cut(value) : value));
}

function inText(line: string): string {
  const plain = line
    .replace(COMBINED, '$1 "<referer>" "<user agent>"')
    .replace(REQUEST, (_whole, method: string, path: string, query?: string) => {
      return `${method} ${pathTemplate(path)}${query === undefined ? '' : '?<query>'}`;
    })
    .replace(QUERY, '$1?<query>');
  return replaceValues(plain, (_value, template) => template);
}

function replaceValues(line: string, change: (value: string, template: string) => string): string {
  return FIELDS.reduce(
    (text, { pair, template }) =>
      text.replace(pair, (whole: string, lead: string, ...groups: (string | undefined)[]) => {
        const quotes = groups.slice(0, 6);
        const [open = '', close = ''] = [quotes.find(isText), quotes.findLast(isText)];
        const value = whole.slice(lead.length + open.length, whole.length - close.length);
        return `${lead}${open}${change(value, template)}${close}`;
      }),
    line,
  );
}

function isText(group: string | undefined): group is string {
  return group !== undefined;
}

function inJson(value: Json, depth: number): Json {
  if (typeof value === 'string') return inText(value);
  if (depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => inJson(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const known = FIELDS.find((one) => one.key.test(key));
      return [key, known === undefined ? inJson(item ?? null, depth + 1) : known.template];
    }),
  );
}

/** The words of a route stay; ids and what no route is made of do not. */
function pathTemplate(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      if (/^(?:\d+|[0-9a-f]{8,64}|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})$/i.test(segment)) return '<id>';
      return /^[\w.~-]*$/.test(segment) && segment.length <= LONGEST_SEGMENT ? segment : '<text>';
    })
    .join('/');
}
