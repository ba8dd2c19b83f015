'use strict';
// Written in old JavaScript, so that an old Node gets far enough to say that it is one.
var OLDEST = [20, 19];

var version = process.versions.node.split('.').map(Number);
var isOld = version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1]);

if (isOld) {
  process.stderr.write(
    'RA_BRIDGE_NODE: ' + process.execPath + ' is Node ' + process.versions.node + '; expected Node ' +
      OLDEST.join('.') + ' or newer; install it, or set ROBUSTNESS_AGENT_NODE to its program\n'
  );
  process.exitCode = 2;
} else {
  // The program finds its arguments where it does without us.
  process.argv.splice(1, 1);
  require(process.argv[1]);
}
