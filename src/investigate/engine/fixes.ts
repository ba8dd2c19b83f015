import type { ErrorType } from '../model/error-type.js';

const BY_FINGERPRINT: Readonly<Record<string, string>> = {
  port_in_use:
    'Find the process that still holds the port by its pid and end it, or start the server on another port.',
  disk_full:
    'Free space on the mount named in the line, or move caches and results to a larger one, before the next run.',
  fd_exhausted:
    'Find which process leaks file descriptors, and raise its limit (ulimit -n) only if the number is needed.',
  kv_cache_short:
    'Leave more memory to the KV cache: raise the memory fraction, or lower the context length or the number of sequences in the launch arguments.',
  import_error:
    'Compare the environment with the patch or image that was last changed; install or pin the missing module or library.',
  unsupported_feature:
    'Choose a kernel, data type or backend in the launch arguments that this GPU architecture supports.',
  auth_failure: 'Check where the key comes from and whether it is still valid; never print its value.',
  collective_timeout:
    'Check that every rank is alive and reachable, then network interface and collective settings; a rank that died earlier is the usual cause.',
  gpu_hang:
    'Take the GPU named in the line out of use, and read the kernel log for the reset; a driver or hardware fault is likely.',
  gpu_fault:
    'Run the kernel that was last changed alone with address checks; a wrong index or a freed buffer is likely.',
  dns_failure: 'Check the host name in the line and the resolver of the machine.',
  accuracy_gate: 'Compare outputs before and after the last kept change; reject it if accuracy fell with it.',
};

const BY_TYPE: Readonly<Record<ErrorType, string>> = {
  oom: 'Lower memory fraction, batch size or context length; find the process that holds VRAM, and check for owners that are gone but still hold it.',
  infra:
    'Check the resource named in the line (disk, shared memory, file descriptors, device), free or enlarge it, and run again.',
  network: 'Check the peer named in the line: is it running, reachable and listening on that address?',
  tls: 'Check the certificate named in the line: its dates, its chain, and the clock of the machine.',
  config_error: 'Correct the setting named in the line in the launch arguments or the environment.',
  code_logic: 'Look at the code at the place named below and at the change that last touched it.',
  runtime_error:
    'Look at the first error of the unit that failed, not at the last one, and at the code it names.',
  null_pointer:
    'Look at the place named below: a value is used before it is set, or a missing one is not handled.',
  index_out_of_bounds: 'Check sizes against indices at the place named below, for the input that failed.',
  race_condition: 'Find the two writers named in the line; give them one lock, or one of them a retry.',
  parsing_error: 'Look at the input that could not be read, and at who wrote it last.',
  serialization_error:
    'Check that the checkpoint is complete and of the format and version that the loader expects.',
  unknown: 'Collect more before changing anything.',
};

/** What could be done, in this product's own words; always a proposal (spec 07 B9.4). */
export function proposedFix(type: ErrorType, fingerprint: string | null): string {
  const own = fingerprint === null ? undefined : BY_FINGERPRINT[fingerprint];
  return `Proposal: ${own ?? BY_TYPE[type]}`;
}

/** What to collect next when nothing says what the cause is. */
export function nextEvidence(unavailable: readonly string[], untyped: readonly string[]): string {
  const failed = untyped.length === 0 ? '' : ` Look first at the log of ${untyped.slice(0, 3).join(', ')}.`;
  const configure = unavailable.length === 0 ? '' : ` Not available here: ${unavailable.join(', ')}.`;
  return `${BY_TYPE.unknown}${failed}${configure}`;
}
