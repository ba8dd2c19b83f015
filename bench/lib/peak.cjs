// Preloaded: says at the end how much memory the process had at most, in KiB.
const { writeSync } = require('node:fs');

process.on('exit', () => writeSync(2, `PEAK ${process.resourceUsage().maxRSS}\n`));
