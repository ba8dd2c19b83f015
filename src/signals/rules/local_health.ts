import { defineRule } from '../rule.js';
import { diskFields, fdFields, serverFields, thermalFields } from './local_health/config.js';
import { fullDisks, fullSharedMemory } from './local_health/disk.js';
import { scarceDescriptors } from './local_health/fd.js';
import { hasFailedLately, kernelHits, logErrors } from './local_health/log-errors.js';
import { deadRayHead } from './local_health/ray.js';
import { unreachableServers } from './local_health/server.js';
import { localHealthSymptoms } from './local_health/symptoms.js';
import { hotGpus } from './local_health/thermal.js';

/** What the probes of this host read (spec 03 §8). */
export const localHealth = defineRule({
  name: 'local_health',
  configSlot: 'local_health',
  needs: [],
  config: { ...serverFields, ...thermalFields, ...diskFields, ...fdFields },
  symptoms: localHealthSymptoms,
  evaluate({ context, snapshot, bus, config }) {
    const servers = unreachableServers(context, snapshot, config);
    const ray = deadRayHead(snapshot.local_ray);
    const descriptors = scarceDescriptors(snapshot.local_fd, config);
    return {
      symptoms: [
        ...servers.symptoms,
        ...logErrors(snapshot.local_log_errors, kernelHits(snapshot.local_kernel), {
          taskFailed: hasFailedLately(bus, context.now_unix),
        }),
        ...hotGpus(snapshot.local_gpu, config),
        ...fullDisks(snapshot.local_disk, config),
        ...fullSharedMemory(snapshot.local_disk, config),
        ...(ray ? [ray] : []),
        ...(descriptors ? [descriptors] : []),
      ],
      // A server that is being started again is neither reachable nor lost.
      undecided: servers.isLoading ? ['local_server_unreachable'] : [],
    };
  },
});
