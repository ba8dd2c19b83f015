import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the collectors that look at the machine beyond processes and disks (spec 02 §1.1). */
export const machineFields = {
  ray_probe_enabled: { type: 'boolean', default: true, doc: 'Ask `ray status`.' },
  ray_probe_timeout_s: {
    type: 'number',
    default: 5,
    unit: 's',
    doc: 'How long `ray status` may take; at least 0.5.',
  },
  fd_probe_enabled: { type: 'boolean', default: true, doc: 'Count open file descriptors.' },
  fd_probe_pid: {
    type: 'integer',
    nullable: true,
    default: null,
    unit: 'pid',
    doc: 'Process whose descriptors are counted; null = the Coordinator, else our parent, else ourselves.',
  },
  aiter_jit_dir: {
    type: 'string',
    nullable: true,
    default: null,
    doc: 'Directory of the aiter kernel cache; null = found like the serving environment finds it.',
  },
} as const satisfies ConfigFields;
