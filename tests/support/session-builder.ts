export * from '../../src/runtime/demo/session-builder.js';
