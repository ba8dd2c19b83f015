import { describe, expect, it } from 'vitest';
import { logDetectors } from '../../../src/sources/logs/detectors.js';
import { LogJudge } from '../../../src/sources/logs/judge-record.js';

function judge(line: string, patterns: readonly string[] = []) {
  const record = { offset: 0, lines: [{ text: line, offset: 0 }], isOpen: false };
  return new LogJudge(patterns).judge(record);
}

const identifierOf = (line: string) => judge(line)?.identifier;

/** Lines that the specification invents for each identifier, and some that real tools print. */
const MATCHES: [string, string][] = [
  ['sigquit from a child process', 'TP3: received sigquit from a child process, leaving'],
  ['engine watchdog timeout', '[12:00:01] Watchdog timeout (self.last_tick=7)'],
  ['Segfault encountered', '!!! Segfault encountered !!!'],
  ['Scheduler hit an exception', 'TP0 Scheduler hit an exception: Traceback'],
  ['worker died unexpectedly', 'Worker proc rank-5 died unexpectedly'],
  ['No available memory for the cache blocks', 'ValueError: No available memory for the cache blocks.'],
  [
    'Not enough memory for the engine',
    'Not enough memory. Please try to increase --mem-fraction-static to 0.9',
  ],
  ['NCCL completion with error', 'h1:77 [0] NCCL WARN NET/IB : Got completion from peer x with status=5'],
  ['GPU reset begin', 'amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!'],
  ['HW Exception by GPU', 'HW Exception by GPU node-1 (Agent handle: 0x55) reason :GPU Hang'],
  ['GPU runtime error', 'RuntimeError: HIP error: an illegal memory access was encountered'],
  ['GPU runtime error', 'CUDA error: device-side assert triggered'],
  ['GPU runtime error', 'hipErrorIllegalAddress(700) from hipStreamSynchronize'],
  ['GPU runtime error', 'failed with cudaErrorLaunchFailure'],
  ['GPU library error', 'rocBLAS error: Could not load library.'],
  ['GPU library error', 'MIOpen(HIP): Error from RunForward'],
  ['heap corruption', 'double free or corruption (!prev)'],
  ['heap corruption', 'malloc(): unaligned tcache chunk detected'],
  ['heap corruption', 'corrupted size vs. prev_size while consolidating'],
  ['Fatal Python error', 'Fatal Python error: Illegal instruction'],
  ['component hit an exception', 'TokenizerWorker hit an exception: Traceback (most recent call last):'],
  ['Ray worker died', 'ray.exceptions.ActorDiedError: the actor is dead'],
  ['Ray worker died', 'Worker died or was killed: node 3'],
  ['KV cache too small', 'the prompt is larger than the room in the KV cache'],
  ['broken checkpoint', 'RuntimeError: PytorchStreamReader failed reading zip archive'],
  ['broken checkpoint', 'RuntimeError: unexpected EOF, expected 91 more bytes. The file might be corrupted.'],
  ['network port error', 'NET/IB : bnxt_re0:1 Got async fatal event: port error'],
  ['network port error', 'NET/IB : bnxt_re0:1 Got async event : port error'],
  ['C++ terminate', 'terminate called without an active exception'],
  ['NCCL call failed', 'h1:77 [0] NCCL WARN Call to connect to 10.0.0.7 returned Connection refused'],
  ['NCCL call failed', 'h1:77 [0] NCCL WARN Call to bind failed: Cannot assign requested address'],
  ['amdgpu firmware does not respond', 'amdgpu 0000:c1:00.0: amdgpu: SMU: No response msg_reg: 6'],
  ['amdgpu firmware does not respond', 'amdgpu 0000:c1:00.0: amdgpu: MES ring 2 failed to respond'],
  ['amdgpu firmware does not respond', 'amdgpu 0000:c1:00.0: amdgpu: GPU Recovery Failed: -110'],
  ['unhandled exception', 'KeyError: lm_head.weight'],
  ['unhandled exception', '[2031-01-01 10:00:00 TP0] pydantic_core._pydantic_core.ValidationError: 2 errors'],
  [
    'unhandled exception',
    'ERROR 01-01 10:00:00 [core.py:12] torch._dynamo.exc.BackendCompilerFailedError: x',
  ],
  ['rendezvous failed', 'torch.distributed.DistNetworkError: no answer from the host'],
  ['native crash handler', '*** Aborted at 1700000000 (unix time) try "date -d @1700000000"'],
  [
    'native crash handler',
    '*** SIGSEGV (@0x18) received by PID 77 (TID 0x7f00) from PID 24; stack trace: ***',
  ],
  ['shell reports a crash', 'start.sh: line 12:   831 Bus error               python3 serve.py'],
  ['subprocess ended with an error', 'Subprocess engine_0 exited with code 1'],
  ['subprocess ended with an error', 'subprocess tp-2 died with signal 11'],
  ['Rust panic', "thread 'main' panicked at src/lib.rs:3:5:"],
  ['shared library missing', 'vllm: error while loading shared libraries: libx.so.1: cannot open it'],
  ['GPU queue not created', 'kfd kfd: amdgpu: Failed to create queue on device 3'],
  ['memory not registered for the network', 'ibv_reg_mr(address=0x10, length=4096) failed: Bad address'],
  ['no kernel for the shape', 'ERROR: no suitable solution found'],
  ['rendezvous failed', 'Timed out after 61 seconds waiting for clients. 3/4 clients joined.'],
  ['runtime\\.cli .* timed out after \\d+s', 'runtime.cli step9 timed out after 44s'],
  ['runtime\\.cli .* timed out after \\d+s', 'critic runtime.cli judge timed out after 31s'],
  [
    'RuntimeError: Engine core initialization failed',
    'RuntimeError: Engine core initialization failed (rank 3)',
  ],
  ['EngineCore died', 'engine core proc-7 has died'],
  ['Engine core .* died', `engine core ${'x'.repeat(70)} died`],
  ['tokenizer worker .* died', 'tokenizer worker #2 died'],
  ['aiter .* compilation failed', 'aiter gemm_a8 compilation failed'],
  ['hipcc .* signal', 'hipcc pid 81 got signal 9'],
  ['MLA.*not supported', 'MLA backend is not supported here'],
  ['MLA.*not supported', 'MLAnot supported'],
  ['MTP draft .* unavailable', 'MTP draft head unavailable'],
  ['accuracy .* gate failed', 'accuracy gsm8k gate failed'],
  ['MMLU .* below threshold', 'MMLU 0.41 below threshold'],
  ['cudaErrorOutOfDevice', 'got cudaErrorOutOfDevice'],
  ['HSA_STATUS_ERROR_OUT_OF_RESOURCES', 'HSA_STATUS_ERROR_OUT_OF_RESOURCES: queue'],
  ['ROCblas.*Status\\s*\\d+', 'rocBLAS call returned status 6'],
  ['ROCblas.*Status\\s*\\d+', 'rocblas: status unknown, then status6'],
  ['hipBLAS.*Error', 'hipblas: internal error'],
  ['NCCL WARN .* timeout', 'NCCL WARN ring 4 timeout'],
  ['Address already in use', 'bind: address already in use'],
  ['Failed to load checkpoint', 'failed to load checkpoint shard 5'],
  ['CUDA out of memory', 'cuda OUT OF MEMORY on 3'],
  ['hipErrorOutOfMemory', 'hipErrorOutOfMemory (2)'],
  ['HIP out of memory', 'HIP out of memory. Tried 9 GiB'],
  ['HIP out of memory', 'RuntimeError: HIP out of memory, 9 GiB asked'],
  ['Segmentation fault', 'segmentation fault in worker'],
  ['Segmentation fault', 'Segmentation fault (core dumped)'],
  ['Segmentation fault', 'Segmentation fault: 0x7f12 at pc'],
  ['core dumped', 'Aborted (core dumped)'],
  ['NCCL error', 'NCCL error 5'],
  ['NCCL error', 'rank 0 NCCL error 5'],
  ['OOMKilled', 'pod OOMKilled'],
  ['failed to allocate', 'failed to allocate 3 GiB'],
  ['RuntimeError', 'RuntimeError: bad shape'],
  ['Killed', 'Killed 3 stale workers'],
  ['Killed', '[2031-01-01 10:00:00] INFO Killed'],
  ['Killed', '/opt/run.sh: line 12: 4711 Killed'],
  ['Memory access fault by GPU', 'Memory access fault by GPU node-3 on address 0x7f10'],
  [
    'Memory access fault by GPU',
    '45%|####  | 3/8 [00:01<00:02]Memory access fault by GPU node-4 (Agent handle: 0x1)',
  ],
  ['Memory Fault Error', 'Memory Fault Error [host:n4, gpu:2]'],
  ['HSA_STATUS_ERROR', 'queue 5 aborted: HSA_STATUS_ERROR_EXCEPTION'],
  ['HSA_STATUS_ERROR', 'HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory'],
  ['amdgpu ring timeout', 'amdgpu 0000:c1:00.0: ring comp_1.0.1 timeout'],
  ['GPU has fallen off the bus', 'Xid: GPU has fallen off the bus.'],
  [
    'collective operation timeout',
    '[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)',
  ],
  ['ncclSystemError', 'ncclSystemError: last call failed'],
  [
    'ncclSystemError',
    'torch.distributed.DistBackendError: NCCL error in: x.cpp:99, ncclUnhandledCudaError, NCCL version 2',
  ],
  ['shared memory segment', 'Error while creating shared memory segment /dev/shm/nccl-q1 (size 9637888)'],
  ['Out of memory: Killed process', 'Memory cgroup out of memory: Killed process 71 (srv)'],
  ['Ray memory monitor', '3 workers killed due to the node running low on memory'],
  ['EngineCore died', 'EngineCore_DP0 failed to start'],
  ['EngineDeadError', 'raised EngineDeadError'],
  ['No space left on device', 'OSError: [Errno 28] No space left on device'],
  ['Too many open files', 'accept: Too many open files'],
  ['waiting for baton release', 'aiter: waiting for baton release at /root/lock'],
  ['GPU runtime error', 'ROCm error: invalid device function'],
  ['Not enough memory for the engine', 'Prefill out of memory. Try to lower the chunk.'],
  ['unhandled exception', 'vendor.sdk.errors.Exhausted: no more of it'],
  ['unhandled exception', '[TP1] google.api_core.exceptions.Aborted: 409 too much contention'],
  [
    'killed by the OOM killer',
    'systemd[1]: a.service: The kernel process has been killed by the OOM killer.',
  ],
  ['killed by the OOM killer', "b.service: Failed with result 'oom-kill'."],
  [
    'batch system ended the job',
    'slurmstepd: error: *** JOB 71 ON n4 CANCELLED AT 2031-01-01T10:00:00 DUE TO NODE FAILURE ***',
  ],
  [
    'batch system ended the job',
    'slurmstepd: error: *** STEP 71.batch ON n4 CANCELLED AT 2031-01-01T10:00:00 DUE to Preemption ***',
  ],
  ['GPU memory poisoned', 'amdgpu 0000:c1:00.0: amdgpu: Poison is consumed by gfx, reset to follow'],
  ['GPU memory poisoned', 'amdgpu: socket 1 ras poison consumption in die 3'],
  [
    'container not started',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
  ],
  ['container not started', 'Error response from daemon: OCI runtime create failed: no such device'],
  ['Go panic', 'panic: runtime error: index out of range [8] with length 8'],
  ['Go panic', 'fatal error: all goroutines are asleep - deadlock!'],
  ['Go panic', 'goroutine 1 [running]:'],
  ['HIP out of memory', 'RuntimeError: the previous run left its text: "x", HIP out of memory'],
  ['HIP out of memory', 'the pool is of a fixed size: HIP out of memory'],
  ['HIP out of memory', 'ERROR previous state restored, then HIP out of memory'],
  ['HIP out of memory', 'HIP out of memory after the fix was applied'],
  ['HIP out of memory', "ERROR 01-01 10:00:00 request failed, prompt='x': HIP out of memory"],
  ['HIP out of memory', '{"level": "error", "message": "HIP out of memory"}'],
  ['Segmentation fault', 'the prompt was long, then: Segmentation fault'],
  ['HIP out of memory', '\u001b[31mRuntimeError:\u001b[0m HIP \u001b[1mout of memory\u001b[0m'],
];

/** Look-alikes: what healthy runs print. */
const NON_MATCHES = [
  'INFO 01-01 10:00:00 [logger.py:1] Received request c-1: prompt: \'why "Segmentation fault (core dumped)"?\'',
  `{"level": "info", "messages": [{"role": "user", "content": "explain CUDA out of memory"}]}`,
  'DEBUG answer c-2: text="Out of memory: Killed process 71 (srv) is what the kernel says"',
  'slot 3 | prompt "HIP error: invalid argument - what is it" | 40 tokens',
  '10.0.0.7 - - [01/Jan/2031:10:00:00 +0000] "GET /pods?reason=OOMKilled HTTP/1.1" 200 17',
  'INFO: 10.0.0.7:4711 - "POST /search/NCCL%20error HTTP/1.1" 404 Not Found, NCCL error',
  '{"level":"info","msg":"asked","title":"double free or corruption, what now"}',
  'turn 3 (assistant): "Fatal Python error: Illegal instruction" means an old CPU',
  'INFO run=7 previous run ended with Segmentation fault (core dumped), this one is well',
  'a1b2c3d [Bugfix] Fix CUDA error: an illegal memory access in the align kernel',
  'INFO 01-01 10:00:00 [tune.py:1] config 7: HIP out of memory, trying next config',
  'tactic 9 failed with CUDA error: invalid configuration argument, skipped',
  'tests/test_x.py::test_it[EngineDeadError] PASSED [  7%]',
  'kube_pod_last_terminated_reason{pod="a-0",reason="OOMKilled"} 0',
  'slurmstepd: error: *** STEP 71.2 ON n4 CANCELLED AT 2031-01-01T10:00:00 ***',
  'slurmstepd: error: *** STEP 71.2 ON n4 CANCELLED AT 2031-01-01T10:00:00 DUE TO SIGNAL Terminated ***',
  'Error response from daemon: No such container: vllm-17',
  'amdgpu 0000:c1:00.0: amdgpu: 0 uncorrectable hardware errors detected in total in gfx block',
  'amdgpu: poison is supported by this block',
  'the OOM killer is disabled for this unit',
  'no panic: runtime errors are retried',
  '12 goroutines running',
  'ROCm errors: 0',
  'decode out of memory is avoided by retraction',
  'errors.count: 0',
  'server.exceptions.per_hour: 0.25',
  'Subprocess engine_0 exited with code 0',
  'Subprocess engine_0 exited with code -15, as asked',
  'subprocess tp-2 ended with status 143',
  'start.sh: line 12:   831 Terminated              python3 serve.py',
  'start.sh: line 12: 831 lines written',
  'Aborted at the request of the user',
  'main thread panicked less than before',
  'ibv_reg_mr took 3 ms for 4096 pages',
  'kfd: created queue 7 on device 3',
  '0 errors, no kernels found to tune',
  'loading shared libraries took 0.2 s',
  'watchdog timeout is 300 s, kill_on_timeout=False',
  'GPU reset count: 0',
  'scheduler hit rate 0.98',
  'HIP error: 0',
  'the process was terminated, called back later',
  'NCCL WARN Call to connect took 3 s',
  'amdgpu 0000:c1:00.0: amdgpu: SMU is initialized successfully!',
  'amdgpu: 3 recoverable errors',
  'request failed with error: none of ours',
  'last error: none',
  'error: see below',
  'KeyError',
  'INFO handled ValueError: client sent garbage',
  'CUDA errors: 0',
  'no HIP error: all streams are in order',
  'hipErrorNotReady is polled for',
  'hipErrorPeerAccessAlreadyEnabled',
  'rocBLAS error rate: 0.0',
  'miopen: error log is /tmp/miopen.log',
  'free(): 41 blocks returned to the pool',
  'malloc(): arena 3 grown',
  'corrupted records skipped: 4',
  'request 7 hit an exception, answered 400',
  'Ray worker died down to idle',
  'batch is larger than the limit, chunked',
  'deserializing header took 3 ms',
  'NET/IB : mlx5_0:1 Got async event : client reregistration',
  'waiting for clients to drain',
  'rendezvous closed after the run',
  'no worker died unexpectedly so far',
  'not enough memory for prefetch, falling back to streaming',
  'NCCL INFO NET/IB : Got completion from peer, all channels up',
  '0 errors',
  'error_rate=0.0',
  'failover succeeded',
  'requests: 512, errors: 0, error_rate=0.0',
  'NCCL error count=0',
  'NCCL errors: 0',
  'NCCL error=false',
  'NCCL error rate 0.0',
  'hipblas error_rate=0.0',
  'no NCCL error seen since start',
  'finished without RuntimeError',
  'zero CUDA out of memory',
  '0 RuntimeErrors',
  '0 NCCL error',
  'NCCL error on ring 2, failover succeeded',
  'skilled engineer',
  'MyRuntimeErrorHandler registered',
  'is_OOMKilled_flag false',
  'Consider lowering --mem-fraction-static if you see HIP out of memory',
  'If you get CUDA out of memory',
  'to avoid HIP out of memory lower the batch',
  'see https://example.org/docs for hipErrorOutOfMemory',
  'It is recommended to restart after NCCL error',
  'the worker was Killed by the operator after the run',
  'INFO 01-01 10:00:00 [mla.py:12] FlashMLA is not supported on this device, using Triton',
  'WARNING MTP draft model unavailable, speculative decoding off',
  'runtime.cli timed out after 30s',
  'runtime.cli judge timed out after xs',
  'hipcc signal',
  'Engine core died',
  'NCCL version 2.21.5+hip6.2',
  'RCCL version : 2.20.5-HEAD',
  'oom_reaper: reaped process 71 (srv), now anon-rss:0kB',
  'ring buffer of amdgpu is 4 KiB',
  'rocblas status: ok',
  '',
];

const EXPECTED_ADVICE_AFTER =
  'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 191.98 GiB of which 150.50 GiB is free. 80.00 GiB allowed; Of the allocated memory 70.1 GiB is allocated by PyTorch. If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.';

describe('log detectors', () => {
  it.each(MATCHES)('recognise %s in %j', (identifier, line) => {
    expect(identifierOf(line)).toBe(identifier);
  });

  it.each(
    NON_MATCHES.filter((line) => line !== 'If you get CUDA out of memory' && line !== 'Engine core died'),
  )('leave %j alone', (line) => {
    expect(identifierOf(line)).toBeUndefined();
  });

  it('are 79, with the wire identifiers in the order in which they are tried', () => {
    expect(logDetectors()).toHaveLength(79);
    expect(new Set(logDetectors().map(({ identifier }) => identifier)).size).toBe(79);
    expect(
      logDetectors()
        .map(({ identifier }) => identifier)
        .slice(13, 17),
    ).toEqual([
      'Too many open files',
      'waiting for baton release',
      'runtime\\.cli .* timed out after \\d+s',
      'RuntimeError: Engine core initialization failed',
    ]);
  });

  it('have the roles of the specification', () => {
    const byRole = (role: string) =>
      logDetectors()
        .filter((detector) => detector.role === role)
        .map((d) => d.identifier);
    expect(byRole('confirmation')).toEqual([
      'EngineCore died',
      'EngineDeadError',
      'RuntimeError: Engine core initialization failed',
      'Engine core .* died',
      'core dumped',
      'sigquit from a child process',
      'engine watchdog timeout',
      'Scheduler hit an exception',
      'worker died unexpectedly',
      'C++ terminate',
      'Fatal Python error',
      'component hit an exception',
      'Ray worker died',
      'native crash handler',
      'shell reports a crash',
    ]);
    expect(byRole('cascade')).toEqual([
      'tokenizer worker .* died',
      'NCCL WARN .* timeout',
      'failed to allocate',
      'subprocess ended with an error',
      'Rust panic',
      'shared library missing',
      'memory not registered for the network',
      'Go panic',
      'RuntimeError',
      'Killed',
      'unhandled exception',
    ]);
    expect(byRole('own')).toHaveLength(5);
  });

  it('keep an out-of-memory line whose advice comes after it, with the sizes it names', () => {
    expect(judge(EXPECTED_ADVICE_AFTER)).toMatchObject({
      identifier: 'HIP out of memory',
      oom: { tried_mib: 2048, free_mib: 154112, total_mib: 196587.52, cap_mib: 81920 },
    });
  });

  it('read the sizes of older releases too', () => {
    const line =
      'RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14.50 GiB already allocated; 11.75 MiB free; 14.60 GiB reserved)';
    expect(judge(line)?.oom).toEqual({ tried_mib: 20, free_mib: 11.75, total_mib: 16281.6, cap_mib: null });
    expect(judge('hipErrorOutOfMemory (2)')?.oom).toBeNull();
    expect(judge('failed to allocate 1 GiB')?.oom).toMatchObject({ tried_mib: 1024, free_mib: null });
  });

  it('include configured texts, in which a star stands for at most 80 characters', () => {
    const patterns = ['(', 'cannot * reach', ''];
    expect(judge('we ( here', patterns)?.identifier).toBe('(');
    expect(judge('CANNOT possibly reach it', patterns)).toMatchObject({
      identifier: 'cannot * reach',
      role: 'root',
    });
    expect(judge(`cannot ${'x'.repeat(90)} reach`, patterns)).toBeUndefined();
    expect(judge('RuntimeError: (', patterns)?.identifier).toBe('RuntimeError');
  });

  it('take no longer for a line that repeats the start of a pattern', () => {
    const words = [
      'runtime.cli ',
      'rocblas status ',
      'enginecore ',
      'mla ',
      'hipblas ',
      'nccl error=0 ',
      'killed x ',
    ];
    const started = process.cpuUsage();
    for (const word of words)
      for (let i = 0; i < 20; i += 1) judge(word.repeat(Math.floor(4000 / word.length)));
    const { user } = process.cpuUsage(started);
    expect(user / 1000).toBeLessThan(1500);
  });
});
