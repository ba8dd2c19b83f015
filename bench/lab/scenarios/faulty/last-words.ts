/** What an engine leaves in its log when it dies. */
export interface LastWords {
  readonly name: string;
  readonly story: string;
  /** The part of them that is looked for in rules, tests and documents. */
  readonly wording: string;
  readonly lines: readonly string[];
  /** Its first line has the engine's time stamp; what libraries and tracebacks print has none. */
  readonly isStamped?: true;
}

/** Last words of engines as operators quote them; none of them is a detector's own example. */
const ENGINES: readonly LastWords[] = [
  {
    name: 'died-of-a-failing-child',
    story: 'The engine ends because one of its children did.',
    wording: 'a child process. It usually means the child failed',
    isStamped: true,
    lines: ['Received sigquit from a child process. It usually means the child failed.'],
  },
  {
    name: 'died-of-its-own-watchdog',
    story: 'A watchdog inside the engine ends it: no forward pass for five minutes.',
    wording: 'self.watchdog_last_forward_tick=118842',
    isStamped: true,
    lines: ['Watchdog timeout (self.watchdog_last_forward_tick=118842, self.watchdog_timeout=300)'],
  },
  {
    name: 'died-of-a-segfault',
    story: 'The native stack trace of a crash, in the words of its library.',
    wording: '!!!!!!! Segfault encountered !!!!!!!',
    lines: [
      '!!!!!!! Segfault encountered !!!!!!!',
      '  File "<unknown>", line 0, in hsa_amd_memory_pool_free',
    ],
  },
  {
    name: 'died-of-a-scheduler-exception',
    story: 'The scheduler of the engine meets an exception that nobody handles.',
    wording: 'Scheduler hit an exception: Traceback (most recent',
    isStamped: true,
    lines: [
      'Scheduler hit an exception: Traceback (most recent call last):',
      '  File "/sgl/srt/managers/scheduler.py", line 2611, in run_scheduler_process',
      "KeyError: 'model.layers.41.mlp.experts.w13_weight_scale'",
    ],
  },
  {
    name: 'died-of-a-detokenizer-exception',
    story: 'The same in the process that turns tokens into text.',
    wording: 'DetokenizerManager hit an exception',
    isStamped: true,
    lines: [
      'DetokenizerManager hit an exception: Traceback (most recent call last):',
      '  File "/sgl/srt/managers/detokenizer_manager.py", line 288, in run_detokenizer_process',
      "KeyError: 'rid-77c1e0'",
    ],
  },
  {
    name: 'died-of-a-lost-worker',
    story: 'One worker process of eight is gone and the executor shuts down.',
    wording: 'Worker proc VllmWorker-3 died unexpectedly',
    lines: [
      'ERROR 04-05 19:44:02 [multiproc_executor.py:140] Worker proc VllmWorker-3 died unexpectedly, shutting down executor.',
    ],
  },
  {
    name: 'died-of-a-lost-ray-worker',
    story: 'The same where Ray looks after the workers.',
    wording: 'A worker died or was killed while executing a task',
    lines: [
      '(raylet) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker.',
    ],
  },
  {
    name: 'no-room-for-the-cache',
    story: 'Weights leave no memory for the cache, so the engine refuses to start.',
    wording: 'Try increasing `gpu_memory_utilization` when initializing',
    lines: [
      'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
    ],
  },
  {
    name: 'not-enough-memory-at-start',
    story: 'The same on another engine.',
    wording: 'Not enough memory. Please try to increase --mem-fraction-static.',
    lines: ['Not enough memory. Please try to increase --mem-fraction-static.'],
  },
  {
    name: 'cache-smaller-than-one-request',
    story: 'There is a cache, and not a single request of full length fits into it.',
    wording: "To serve at least one request with the models's max seq len",
    lines: [
      "ValueError: To serve at least one request with the models's max seq len (131072), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (19.27 GiB). Based on the available memory, the estimated maximum model length is 105232.",
    ],
  },
  {
    name: 'checkpoint-cut-short',
    story: 'A file of the checkpoint ends too early; the copy was interrupted.',
    wording: 'Error while deserializing header: MetadataIncompleteBuffer',
    lines: ['safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer'],
  },
];

/** The same of drivers, runtimes and networks below the engine. */
const MACHINES: readonly LastWords[] = [
  {
    name: 'network-lost-between-nodes',
    story: 'A network card loses its link in the middle of a collective.',
    wording: 'Got completion from peer 10.1.9.4<51888> with status=12',
    lines: [
      'node-2:8123:8441 [3] NCCL WARN NET/IB : Got completion from peer 10.1.9.4<51888> with status=12 opcode=0 len=0 vendor err 129',
      'torch.distributed.DistBackendError: RCCL communicator was aborted on rank 3',
    ],
  },
  {
    name: 'port-of-the-network-card-down',
    story: 'The card says so itself before any collective fails.',
    wording: 'NET/IB : mlx5_4:1 Got async event : port error',
    lines: ['node-2:8123:8459 [4] NCCL WARN NET/IB : mlx5_4:1 Got async event : port error'],
  },
  {
    name: 'rendezvous-never-happens',
    story: 'A rank waits for the others at the start and gives up.',
    wording: 'The client socket has timed out after 1800000ms',
    lines: [
      'torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (10.1.9.4, 41207).',
    ],
  },
  {
    name: 'reset-in-the-middle',
    story: 'The driver resets a GPU while it is in use; the log of the node says so.',
    wording: 'amdgpu 0000:83:00.0: amdgpu: GPU reset begin!. Source: 1',
    lines: ['amdgpu 0000:83:00.0: amdgpu: GPU reset begin!. Source: 1'],
  },
  {
    name: 'hang-of-the-gpu',
    story: 'The runtime ends the process because the GPU hangs.',
    wording: 'HW Exception by GPU node-6 (Agent handle: 0x5581a2c7e0d0) reason :GPU Hang',
    lines: ['HW Exception by GPU node-6 (Agent handle: 0x5581a2c7e0d0) reason :GPU Hang'],
  },
  {
    name: 'launch-that-failed',
    story: 'A kernel fails on the device; every later call repeats the error.',
    wording: 'torch.AcceleratorError: HIP error: unspecified launch failure',
    lines: [
      'torch.AcceleratorError: HIP error: unspecified launch failure',
      'Compile with `TORCH_USE_HIP_DSA` to enable device-side assertions.',
    ],
  },
  {
    name: 'no-code-for-this-gpu',
    story: 'An update was built for other GPUs than these.',
    wording: '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"',
    lines: ['"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"'],
  },
  {
    name: 'library-for-another-gpu',
    story: 'The matrix library finds no kernels for this architecture.',
    wording: 'rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary',
    lines: [
      'rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary_lazy_gfx950.dat: No such file or directory for GPU arch : gfx950',
    ],
  },
  {
    name: 'broken-heap',
    story: 'The C library finds its heap damaged and aborts.',
    wording: 'free(): invalid next size (normal)',
    lines: ['free(): invalid next size (normal)', 'Fatal Python error: Aborted'],
  },
  {
    name: 'bus-error-in-shared-memory',
    story: 'A process writes to shared memory that the pod does not have.',
    wording: 'Fatal Python error: Bus error',
    lines: [
      'Fatal Python error: Bus error',
      '  File "/opt/vllm/distributed/device_communicators/shm_broadcast.py", line 121 in __init__',
    ],
  },
];

/** The same failures in the words of other releases and libraries. */
const OTHER_RELEASES: readonly LastWords[] = [
  {
    name: 'freed-twice',
    story: 'The C library finds that something was freed twice.',
    wording: 'free(): double free detected in tcache 2',
    lines: ['free(): double free detected in tcache 2'],
  },
  {
    name: 'no-memory-for-the-host-side',
    story: 'The C++ side of the engine gets no memory from the host.',
    wording: "terminate called after throwing an instance of 'std::bad_alloc'",
    lines: ["terminate called after throwing an instance of 'std::bad_alloc'", '  what():  std::bad_alloc'],
  },
  {
    name: 'division-by-zero-in-a-library',
    story: 'A library divides by zero, which ends the whole process.',
    wording: 'Fatal Python error: Floating point exception',
    lines: ['Fatal Python error: Floating point exception'],
  },
  {
    name: 'assertion-on-the-device',
    story: 'A kernel checks its arguments and stops.',
    wording: 'torch.AcceleratorError: CUDA error: device-side assert triggered',
    lines: ['torch.AcceleratorError: CUDA error: device-side assert triggered'],
  },
  {
    name: 'kernel-without-code',
    story: 'A kernel library has no code for this device.',
    wording: 'hipErrorInvalidDeviceFunction at ck_tile/host/kernel_launch.hpp:62',
    lines: ['error: hipErrorInvalidDeviceFunction at ck_tile/host/kernel_launch.hpp:62'],
  },
  {
    name: 'library-not-installed',
    story: 'An update left a library behind.',
    wording: 'ImportError: libhipsparselt.so.0: cannot open shared object file',
    lines: ['ImportError: libhipsparselt.so.0: cannot open shared object file: No such file or directory'],
  },
  {
    name: 'died-of-a-tokenizer-exception',
    story: 'The process that turns text into tokens meets an exception.',
    wording: 'TokenizerManager hit an exception: Traceback',
    isStamped: true,
    lines: [
      'TokenizerManager hit an exception: Traceback (most recent call last):',
      '  File "/sgl/srt/managers/tokenizer_manager.py", line 1204, in print_exception_wrapper',
    ],
  },
  {
    name: 'died-of-a-lost-actor',
    story: 'An actor of Ray is gone.',
    wording: 'ray.exceptions.ActorDiedError: The actor died unexpectedly',
    lines: [
      'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
      '\tclass_name: RayWorkerWrapper',
    ],
  },
  {
    name: 'header-of-a-checkpoint-broken',
    story: 'A file of the checkpoint is not what it should be: a pointer of git was downloaded.',
    wording: 'Error while deserializing header: HeaderTooLarge',
    lines: ['safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge'],
  },
  {
    name: 'sequence-longer-than-the-cache',
    story: 'The older words for a cache that does not hold one request.',
    wording: "The model's max seq len (131072) is larger than the maximum number of tokens",
    lines: [
      "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (105232). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
    ],
  },
  {
    name: 'ranks-that-never-join',
    story: 'Fifteen of sixteen ranks come to the meeting.',
    wording: 'Timed out after 901 seconds waiting for clients. 15/16 clients joined',
    lines: [
      'torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 15/16 clients joined.',
    ],
  },
  {
    name: 'queue-pair-refused',
    story: 'The network card refuses a connection between two nodes.',
    wording: 'NCCL WARN Call to ibv_modify_qp failed with error Connection timed out',
    lines: [
      'node-2:8123:8441 [3] NCCL WARN Call to ibv_modify_qp failed with error Connection timed out, on dev mlx5_2:1',
    ],
  },
];

/** Further words, written after the others had been found. */
const FURTHER: readonly LastWords[] = [
  {
    name: 'gemm-without-kernel',
    story: 'A library of kernels has none for one shape.',
    wording: '[aiter] ERROR: no kernel found for a8w8 gemm M=128 N=2112 K=7168',
    lines: ['[aiter] ERROR: no kernel found for a8w8 gemm M=128 N=2112 K=7168, giving up'],
  },
  {
    name: 'aborted-by-glog',
    story: 'The logging library of a component tells of an abort.',
    wording: '*** Aborted at 1933201944 (unix time)',
    lines: [
      '*** Aborted at 1933201944 (unix time) try "date -d @1933201944" if you are using GNU date ***',
      'PC: @                0x0 (unknown)',
    ],
  },
  {
    name: 'signal-told-by-glog',
    story: 'The same of a signal.',
    wording: '*** SIGFPE (@0x7f10) received by PID 4410',
    lines: ['*** SIGFPE (@0x7f10) received by PID 4410 (TID 0x7f21) from PID 32528; stack trace: ***'],
  },
  {
    name: 'panic-in-the-tokenizer',
    story: 'The tokenizer, written in Rust, panics.',
    wording: "thread '<unnamed>' panicked at tokenizers/src/models/bpe/model.rs:412:9",
    lines: [
      "thread '<unnamed>' panicked at tokenizers/src/models/bpe/model.rs:412:9:",
      'index out of bounds: the len is 151643 but the index is 151999',
    ],
  },
  {
    name: 'queue-not-created',
    story: 'The driver has no more queues.',
    wording: 'KFD: Failed to create queue: Cannot allocate memory',
    lines: ['KFD: Failed to create queue: Cannot allocate memory'],
  },
  {
    name: 'module-not-there',
    story: 'A module was moved in an update.',
    wording: "No module named 'sglang.srt.layers.moe.ep_moe'",
    lines: [
      'Traceback (most recent call last):',
      '  File "/opt/launch.py", line 11, in <module>',
      "ModuleNotFoundError: No module named 'sglang.srt.layers.moe.ep_moe'",
    ],
  },
  {
    name: 'memory-not-registered',
    story: 'The network library cannot pin memory.',
    wording: 'failed to register address 0x7f10 length 4194304',
    lines: [
      '[n2:4410:0:4410] ib_md.c:284 UCX  ERROR ibv_reg_mr(address=0x7f10, length=4194304) failed to register address 0x7f10 length 4194304: Cannot allocate memory',
    ],
  },
  {
    name: 'loader-finds-no-library',
    story: 'The loader of the system stops the program.',
    wording: 'error while loading shared libraries: libamdhip64.so.7',
    lines: [
      'python3: error while loading shared libraries: libamdhip64.so.7: cannot open shared object file: No such file or directory',
    ],
  },
  {
    name: 'shell-tells-of-a-signal',
    story: 'Only the shell that started the server says how it ended.',
    wording: 'line 7:  4410 Floating point exception',
    lines: ['/opt/run.sh: line 7:  4410 Floating point exception(core d) python3 -m sglang.launch_server'],
  },
  {
    name: 'scheduler-with-exit-code',
    story: 'The launcher notices that a child has ended.',
    wording: 'Subprocess scheduler_3 exited with code -9, terminating',
    isStamped: true,
    lines: ['Subprocess scheduler_3 exited with code -9, terminating the server.'],
  },
  {
    name: 'weights-cannot-be-read',
    story: 'A disk gives an error in the middle of a file.',
    wording: "[Errno 5] Input/output error: '/srv/models/Granite-Delta-40B/model-00031",
    lines: [
      'Traceback (most recent call last):',
      '  File "/opt/sgl/weight_utils.py", line 480, in safetensors_weights_iterator',
      "OSError: [Errno 5] Input/output error: '/srv/models/Granite-Delta-40B/model-00031-of-00048.safetensors'",
    ],
  },
  {
    name: 'configuration-refused',
    story: 'A flag asks for what the model cannot.',
    wording: 'page_size must be a multiple of 128 for this attention backend',
    lines: ['AssertionError: page_size must be a multiple of 128 for this attention backend'],
  },
];

/** The fourth set, blind again: other tools, servers and hosts. */
const FOURTH: readonly LastWords[] = [
  {
    name: 'killed-for-memory-under-systemd',
    story: 'The host runs out of memory, the kernel kills the engine, and only systemd says so.',
    wording: 'A process of this unit has been killed by the OOM killer',
    lines: [
      'systemd[1]: sglang-qwen.service: A process of this unit has been killed by the OOM killer.',
      'systemd[1]: sglang-qwen.service: Main process exited, code=killed, status=9/KILL',
      "systemd[1]: sglang-qwen.service: Failed with result 'oom-kill'.",
    ],
  },
  {
    name: 'queue-aborted-by-the-runtime',
    story: 'The HSA runtime aborts a queue because a kernel needs more scratch than there is.',
    wording: 'aborting with error : HSA_STATUS_ERROR_OUT_OF_RESOURCES',
    lines: [
      ':0:rocdevice.cpp            :3006: 884120937715 us:  Callback: Queue 0x7ee2f4a00000 aborting with error : HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources. This error may also occur when the core runtime library needs to spawn threads or create internal OS-specific events. Code: 0x1008 Available Free mem : 412 MB',
    ],
  },
  {
    name: 'collective-past-its-deadline',
    story: 'An all-reduce never ends; the process group takes the process down after ten minutes.',
    wording: 'Watchdog caught collective operation timeout: WorkNCCL(SeqNum=71934',
    lines: [
      '[rank5]:[E1107 03:12:48.663120417 ProcessGroupNCCL.cpp:632] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=71934, OpType=ALLREDUCE, NumelIn=917504, NumelOut=917504, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.',
      '[rank5]:[E1107 03:12:48.671884502 ProcessGroupNCCL.cpp:684] [Rank 5] To avoid data inconsistency, we are taking the entire process down.',
    ],
  },
  {
    name: 'port-already-taken',
    story: 'An older server still listens on the port, so the new one ends right after loading.',
    wording: "error while attempting to bind on address ('0.0.0.0', 30010)",
    lines: [
      "ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 30010): address already in use",
    ],
  },
  {
    name: 'model-behind-a-gate',
    story: 'The token of the hub has expired and the repository is not open to everyone.',
    wording: 'You are trying to access a gated repo.',
    lines: [
      'OSError: You are trying to access a gated repo.',
      'Make sure to have access to it at https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct.',
      '401 Client Error. (Request ID: Root=1-68f1c2aa-5b0e7d4419c3f0a2615d88e4;0c9fd1b7-2f5e-4f0d-9a41-6d1be2a7730c)',
    ],
  },
  {
    name: 'out-of-file-descriptors',
    story: 'Loading with many workers exceeds the limit of open files.',
    wording: 'unable to open shared memory object </torch_20911_3317480265_1013>',
    lines: [
      'RuntimeError: unable to open shared memory object </torch_20911_3317480265_1013> in read-write mode: Too many open files (24)',
    ],
  },
  {
    name: 'job-over-its-time',
    story: 'Slurm ends the job in which the server runs: its time is used up.',
    wording: 'CANCELLED AT 2026-02-19T06:00:21 DUE TO TIME LIMIT',
    lines: [
      'srun: Job step aborted: Waiting up to 32 seconds for job step to finish.',
      'slurmstepd: error: *** STEP 730418.0 ON mi300-017 CANCELLED AT 2026-02-19T06:00:21 DUE TO TIME LIMIT ***',
    ],
  },
  {
    name: 'plan-of-another-tensorrt',
    story: 'The compiled engine file was built with another release of TensorRT.',
    wording: 'Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed',
    lines: [
      '[TensorRT-LLM][ERROR] IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does not match. Note: Current Version: 240, Serialized Engine Version: 239)',
      "terminate called after throwing an instance of 'tensorrt_llm::common::TllmException'",
      '  what():  [TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine. (/src/tensorrt_llm/cpp/tensorrt_llm/runtime/tllmRuntime.cpp:191)',
    ],
  },
  {
    name: 'kernel-wants-too-much-lds',
    story: 'A Triton kernel was tuned for a GPU with more shared memory per block.',
    wording: 'out of resource: shared memory, Required: 81920, Hardware limit: 65536',
    lines: [
      '  File "/usr/local/lib/python3.12/dist-packages/triton/compiler/compiler.py", line 401, in _init_handles',
      '    raise OutOfResources(self.metadata.shared, max_shared, "shared memory")',
      'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 81920, Hardware limit: 65536. Reducing block sizes or `num_stages` may help.',
    ],
  },
  {
    name: 'database-of-miopen-locked',
    story: 'The cache of MIOpen lies on a network file system that cannot lock.',
    wording: 'Internal error while accessing SQLite database: locking protocol',
    lines: [
      'MIOpen Error: /long_pathname_so_that_rpms_can_package_the_debug_info/src/MLOpen/src/sqlite_db.cpp:227: Internal error while accessing SQLite database: locking protocol',
      'RuntimeError: miopenStatusInternalError',
    ],
  },
  {
    name: 'poison-in-the-memory-of-the-gpu',
    story: 'A kernel reads a memory cell that cannot be corrected; the driver kills its owner.',
    wording: 'poison is consumed by client 12, kick off gpu reset flow',
    lines: [
      '[918274.330417] amdgpu 0000:c3:00.0: amdgpu: 1 uncorrectable hardware errors detected in umc block',
      '[918274.330982] amdgpu 0000:c3:00.0: amdgpu: poison is consumed by client 12, kick off gpu reset flow',
    ],
  },
  {
    name: 'container-without-the-driver',
    story: 'After an update of the kernel the driver is not loaded, and the container cannot start.',
    wording: 'error gathering device information while adding custom device "/dev/kfd"',
    lines: [
      'docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file or directory',
    ],
  },
  {
    name: 'abort-of-llama-cpp',
    story: 'A call of the backend fails and llama.cpp aborts, as it does on every error of a device.',
    wording: 'ggml_backend_cuda_synchronize at /app/ggml/src/ggml-cuda/ggml-cuda.cu',
    lines: [
      'ROCm error: an illegal memory access was encountered',
      '  current device: 1, in function ggml_backend_cuda_synchronize at /app/ggml/src/ggml-cuda/ggml-cuda.cu:2610',
      '  hipStreamSynchronize(cuda_ctx->stream())',
      '/app/ggml/src/ggml-cuda/ggml-cuda.cu:84: ROCm error',
    ],
  },
  {
    name: 'decode-without-cache-left',
    story: 'The cache is full in the middle of a decode step and nothing is left to retract.',
    wording: 'Decode out of memory. Try to lower your batch size.',
    isStamped: true,
    lines: [
      'Decode out of memory. Try to lower your batch size.',
      'Try to allocate 48 tokens.',
      'Available tokens: 31',
    ],
  },
  {
    name: 'quantised-weights-do-not-divide',
    story: 'The groups of the quantised weights cannot be split over so many GPUs.',
    wording: 'The input size is not aligned with the quantized weight shape.',
    lines: [
      'ValueError: The input size is not aligned with the quantized weight shape. This can be caused by too large tensor parallel size.',
    ],
  },
  {
    name: 'panic-in-a-go-server',
    story: 'The server around the runner is written in Go and follows a pointer to nothing.',
    wording: 'panic: runtime error: invalid memory address or nil pointer dereference',
    lines: [
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x38 pc=0x5d20c91e4b07]',
      '',
      'goroutine 83 [running]:',
      'github.com/ollama/ollama/runner/ollamarunner.(*Server).processBatch(0xc0004d2140, {0x5d20cb3a1e60, 0xc0003b8f50})',
    ],
  },
];

/** All of them. */
export const LAST_WORDS: readonly LastWords[] = [
  ...ENGINES,
  ...MACHINES,
  ...OTHER_RELEASES,
  ...FURTHER,
  ...FOURTH,
];
