#!/usr/bin/env node
import { startTick } from './runtime/start/tick.js';

// Built as CommonJS. The Coordinator waits for `tick`, so nothing is done before it; the other commands have a table.
if (process.argv[2] === 'tick') startTick(__dirname, require);
else require('./commands.js');
