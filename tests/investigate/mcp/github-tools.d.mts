import type { Server } from '@modelcontextprotocol/sdk/server/index.js';

export declare function githubServer(dialect: 'older' | 'newer' | 'writing', callsFile: string): Server;
