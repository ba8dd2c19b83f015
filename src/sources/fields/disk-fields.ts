import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the disk collector (spec 02 §1.2). */
export const diskFields = {
  disk_mountpoints: {
    type: 'string_list',
    default: ['/', '/dev/shm'],
    doc: 'Sampled besides the file systems of the session, the workspace and the temporary directory.',
  },
} as const satisfies ConfigFields;
