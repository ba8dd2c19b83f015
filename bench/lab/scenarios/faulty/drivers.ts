import type { Scenario } from '../../scenario.js';
import { runningEngine, STEADY, someMinute } from '../parts.js';

const WAKE = [
  'agent_stall',
  'engine_hang',
  'local_server_unreachable',
  'log_error_pattern',
  'repeated_failure',
];

/** What only the kernel and the list of devices tell of a GPU. */
export const driverFaults: readonly Scenario[] = [
  {
    name: 'gpu-missing-from-the-list',
    kind: 'faulty',
    story: 'The slot of a GPU loses its link: the tool lists seven of eight from then on, without an error.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.gpus = lab.world.gpus.filter(({ id }) => id !== 3);
        lab.world.kernelSays(
          'pcieport 0000:60:01.1: pciehp: Slot(5): Link Down',
          'pcieport 0000:60:01.1: pciehp: Slot(5): Card not present',
        );
      });
      lab.fault({
        cause: 'GPU 3 lost its link',
        from,
        visibleAfter: 14,
        right: ['gpu_lost'],
        company: WAKE,
        severity: 'high',
      });
    },
  },
  {
    name: 'reset-only-the-kernel-tells',
    kind: 'faulty',
    story: 'A ring of a GPU hangs and the driver resets it; the engine dies without a word.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.kernelSays(
          'amdgpu 0000:25:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:40 vmid:8 pasid:32774)',
          'amdgpu 0000:25:00.0: amdgpu: ring comp_1.2.0 timeout, signaled seq=70211, emitted seq=70214',
          'amdgpu 0000:25:00.0: amdgpu: GPU reset begin!. Source: 4',
          'amdgpu 0000:25:00.0: amdgpu: GPU reset(2) succeeded!',
        );
        lab.life.verdict = () => 'server exited during the run';
        lab.life.stopServer();
        if (lab.life.job !== null) lab.life.finish();
        lab.life.verdict = () => null;
      });
      lab.fault({
        cause: 'a page fault in a GPU kernel',
        from,
        until: from + 20,
        right: ['gpu_lost', 'log_error_pattern'],
        company: WAKE,
      });
    },
  },
  {
    name: 'scheduler-of-the-gpu-hangs',
    kind: 'faulty',
    story:
      'The scheduler in the firmware of a GPU answers the driver no more; the engine dies without a word.',
    hours: 3,
    life: STEADY,
    plan: (lab) => {
      runningEngine(lab);
      const from = someMinute(lab);
      lab.at(from, () => {
        lab.world.kernelSays(
          'amdgpu 0000:25:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE',
          'amdgpu 0000:25:00.0: amdgpu: failed to remove hardware queue from MES, doorbell=0x1002',
          'amdgpu 0000:25:00.0: amdgpu: MES might be in unrecoverable state, issue a GPU reset',
        );
        lab.life.verdict = () => 'server exited during the run';
        lab.life.stopServer();
        if (lab.life.job !== null) lab.life.finish();
        lab.life.verdict = () => null;
      });
      lab.fault({
        cause: 'the firmware of the GPU hangs',
        from,
        until: from + 20,
        right: ['gpu_lost', 'log_error_pattern'],
        company: WAKE,
      });
    },
  },
];
