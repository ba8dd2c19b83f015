// The server of github-tools.mjs over stdio.
//
//   node github-server.mjs DIALECT CALLS_FILE
import { appendFileSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { githubServer } from './github-tools.mjs';

const [dialect, callsFile] = process.argv.slice(2);
const { env } = process;
appendFileSync(
  callsFile,
  `${JSON.stringify({ env: Object.keys(env).sort(), token: env.GITHUB_PERSONAL_ACCESS_TOKEN })}\n`,
);
await githubServer(dialect, callsFile).connect(new StdioServerTransport());
