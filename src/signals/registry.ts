import type { Rule } from './rule.js';
import { aiterJit } from './rules/aiter_jit.js';
import { budget } from './rules/budget.js';
import { conversationProgress } from './rules/conversation_progress.js';
import { crash } from './rules/crash.js';
import { event } from './rules/event.js';
import { gpuLeak } from './rules/gpu_leak.js';
import { localHealth } from './rules/local_health.js';
import { phaseBudget } from './rules/phase_budget.js';
import { progress } from './rules/progress.js';
import { stall } from './rules/stall.js';

/** All rules in the order in which they run; the order is part of the contract (spec 03 §2.1). */
export const RULES: readonly Rule[] = [
  stall,
  crash,
  event,
  localHealth,
  gpuLeak,
  budget,
  phaseBudget,
  conversationProgress,
  aiterJit,
  progress,
];
