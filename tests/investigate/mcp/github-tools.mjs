// An MCP server with the tools of a code host, in the two dialects that are in use.
import { appendFileSync, existsSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const FILES = {
  'src/shop/prices.py': 'def total(items):\n    return items[0]["price"]\n',
  'data.json': '{"a": 1}\n',
  'naïve.txt': 'größer\n',
};
const COMMITS = [
  { sha: 'a1', commit: { message: 'Change prices\n\nmore', committer: { date: '2026-05-01T10:00:00Z' } } },
  { sha: 'b2', commit: { message: 'Begin', committer: { date: '2020-01-01T00:00:00Z' } } },
];

const said = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const failed = (text) => ({ ...said(text), isError: true });

function toolsOf(dialect) {
  const isOlder = dialect === 'older';
  const tool = (name, properties, annotations) => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: Object.fromEntries(properties.map((key) => [key, {}])) },
    ...(annotations ? { annotations } : {}),
  });
  const reading = { readOnlyHint: true };
  const tools = [
    tool('search_code', isOlder ? ['q', 'per_page', 'page'] : ['query', 'perPage', 'page'], reading),
    tool('get_file_contents', ['owner', 'repo', 'path', isOlder ? 'branch' : 'ref'], reading),
    tool(
      'list_commits',
      isOlder ? ['owner', 'repo', 'sha', 'perPage'] : ['owner', 'repo', 'sha', 'path', 'perPage'],
      reading,
    ),
    tool('create_or_update_file', ['owner', 'repo', 'path', 'content'], { readOnlyHint: false }),
    tool('push_files', ['owner', 'repo', 'files']),
    ...(isOlder ? [] : [tool('get_repository_tree', ['owner', 'repo', 'tree_sha', 'recursive'], reading)]),
  ];
  if (dialect === 'writing') tools[1].annotations = { readOnlyHint: false };
  return tools;
}

function fileContents(dialect, { owner, repo, path, branch, ref }) {
  if (`${owner}/${repo}` !== 'example-org/shop') return failed('failed to get file contents: 404 Not Found');
  if (branch === 'gone' || ref === 'gone') return failed('Not Found: Resource not found');
  const name = path.replace(/^\/|\/$/g, '');
  if (name === '' || name === 'src') return said([{ type: 'dir', path: 'src/shop', name: 'shop' }]);
  if (name === 'slow') return new Promise(() => undefined);
  if (name === 'huge') return said('x'.repeat(3 * 1024 * 1024));
  if (name === 'crash') process.exit(1);
  const text = FILES[name];
  if (text === undefined) return failed('failed to get file contents: 404 Not Found');
  const size = Buffer.byteLength(text);
  if (dialect === 'older') return said({ type: 'file', path: name, encoding: 'base64', size, content: text });
  if (name === 'naïve.txt')
    return said({ type: 'file', encoding: 'base64', size, content: Buffer.from(text).toString('base64') });
  const resource = { uri: `repo://example-org/shop/contents/${name}`, mimeType: 'text/plain', text };
  return {
    content: [
      { type: 'text', text: 'successfully downloaded text file (SHA: 1)' },
      { type: 'resource', resource },
    ],
  };
}

/** The server, not yet connected; every call is a line in `callsFile`, and `callsFile.limited` limits searches. */
export function githubServer(dialect, callsFile) {
  const tools = toolsOf(dialect);
  const server = new Server({ name: 'fake-github', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    // In pages, as servers with many tools do.
    const from = Number(params?.cursor ?? 0);
    return {
      tools: tools.slice(from, from + 2),
      ...(from + 2 < tools.length ? { nextCursor: String(from + 2) } : {}),
    };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args } }) => {
    appendFileSync(callsFile, `${JSON.stringify({ name, args })}\n`);
    switch (name) {
      case 'get_file_contents':
        return fileContents(dialect, args);
      case 'search_code':
        return existsSync(`${callsFile}.limited`)
          ? failed('API rate limit exceeded')
          : said({ total_count: 1, items: [{ path: 'src/shop/prices.py' }] });
      case 'list_commits':
        return said(COMMITS);
      case 'get_repository_tree':
        return said({ sha: 't', tree: Object.keys(FILES).map((path) => ({ path, type: 'blob' })) });
      default:
        return said('changed');
    }
  });
  return server;
}
