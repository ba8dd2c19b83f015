import type { Rule } from './rule.js';
import { aiterJit } from './rules/aiter_jit.js';
import { amdahlCeiling } from './rules/amdahl_ceiling.js';
import { budget } from './rules/budget.js';
import { coldStart } from './rules/cold_start.js';
import { conversationProgress } from './rules/conversation_progress.js';
import { crash } from './rules/crash.js';
import { criticHealth } from './rules/critic_health.js';
import { decisionAudit } from './rules/decision_audit.js';
import { denials } from './rules/denials.js';
import { engineProgress } from './rules/engine_progress.js';
import { event } from './rules/event.js';
import { externalDeps } from './rules/external_deps.js';
import { gpuHealth } from './rules/gpu_health.js';
import { gpuLeak } from './rules/gpu_leak.js';
import { hostHealth } from './rules/host_health.js';
import { kernelPipeline } from './rules/kernel_pipeline.js';
import { localHealth } from './rules/local_health.js';
import { modelGpuFit } from './rules/model_gpu_fit.js';
import { overrun } from './rules/overrun.js';
import { phaseBudget } from './rules/phase_budget.js';
import { progress } from './rules/progress.js';
import { rayPending } from './rules/ray_pending.js';
import { repeatedPayload } from './rules/repeated_payload.js';
import { selfHealth } from './rules/self_health.js';
import { stall } from './rules/stall.js';
import { stateIntegrity } from './rules/state_integrity.js';

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
  repeatedPayload,
  decisionAudit,
  modelGpuFit,
  amdahlCeiling,
  coldStart,
  criticHealth,
  rayPending,
  kernelPipeline,
  stateIntegrity,
  externalDeps,
  engineProgress,
  gpuHealth,
  hostHealth,
  denials,
  overrun,
  selfHealth,
];
