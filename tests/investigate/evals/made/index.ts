import { SANDBOX_SCENES } from './sandboxed.js';
import type { Scene } from './scene.js';
import { SERVICE_SCENES } from './services.js';
import { SESSION_SCENES } from './sessions.js';

/** Faults where HIGH is earned, each beside near-twins where it would be wrong (spec 07 B16.8). */
export const SCENES: readonly Scene[] = [...SERVICE_SCENES, ...SANDBOX_SCENES, ...SESSION_SCENES];
