export * from '../../src/runtime/demo/coordinator-db.js';
