/** Lines that a living engine and what is around it write, though they look terrible. */
export interface TerribleLines {
  readonly name: string;
  readonly story: string;
  readonly lines: readonly string[];
}

/** Written without a look at what the detectors look for. */
export const TERRIBLE_LINES: readonly TerribleLines[] = [
  {
    name: 'vllm-startup-feature-probes',
    story:
      'A vLLM server on an MI300X starts normally, probing for optional features and falling back where they are missing.',
    lines: [
      'INFO 06-14 09:12:03 [__init__.py:244] Automatically detected platform rocm.',
      'WARNING 06-14 09:12:05 [rocm.py:29] Failed to import from vllm._C with ModuleNotFoundError("No module named \'vllm._C_stable\'"), optional extension, continuing without it',
      "INFO 06-14 09:12:09 [api_server.py:1395] non-default args: {'model': '/models/Qwen3-32B', 'served_model_name': ['qwen3'], 'enable_log_requests': True, 'disable_fastapi_docs': True, 'ignore_eos_errors': False}",
      'WARNING 06-14 09:12:11 [config.py:3371] Casting torch.float16 to torch.bfloat16.',
      'INFO 06-14 09:12:14 [rocm.py:208] FlashInfer is not supported on ROCm, using Triton attention backend on V1 engine.',
      'WARNING 06-14 09:12:20 [fused_moe.py:695] Using default MoE config. Performance might be sub-optimal! Config file not found at /usr/local/lib/python3.12/dist-packages/vllm/model_executor/layers/fused_moe/configs/E=128,N=768,device_name=AMD_Instinct_MI300X.json',
      '(EngineCore_0 pid=4127) WARNING 06-14 09:12:22 [custom_all_reduce.py:137] Custom allreduce is disabled due to an unsupported world size: 6. Supported world sizes: [2, 4, 8]. To silence this warning, specify disable_custom_all_reduce=True explicitly.',
      '(EngineCore_0 pid=4127) WARNING 06-14 09:12:22 [symm_mem.py:58] SymmMemCommunicator: Device capability 9.4 not supported, communicator is not available.',
      '(EngineCore_0 pid=4127) WARNING 06-14 09:12:40 [cudagraph_dispatcher.py:91] Skipping CUDA graph capture for batch size 512: exceeds max_num_seqs (256)',
      '(EngineCore_0 pid=4127) INFO 06-14 09:13:31 [gpu_model_runner.py:2567] Graph capturing finished in 41 secs, took 1.84 GiB',
      'INFO 06-14 09:13:33 [launcher.py:36] Route: /abort_requests, Methods: POST',
      "INFO 06-14 09:13:34 [serving_responses.py:120] Using default chat sampling params from model: {'temperature': 0.6, 'top_k': 20, 'top_p': 0.95}",
    ],
  },
  {
    name: 'vllm-serving-aborts-and-preemption',
    story:
      'A busy vLLM server keeps serving while clients disconnect, single requests are rejected and a few sequences are preempted for KV cache space.',
    lines: [
      'INFO 07-02 21:40:11 [async_llm.py:431] Request chatcmpl-5f0be1d2a9c74e3e8d1f0c3a77b6a001 aborted.',
      'INFO 07-02 21:40:11 [async_llm.py:436] Request cmpl-91aa03-0 failed (bad request).',
      'WARNING 07-02 21:40:26 [scheduler.py:1754] Sequence group 1187 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption=51',
      'INFO 07-02 21:40:30 [loggers.py:123] Engine 000: Avg prompt throughput: 2210.4 tokens/s, Avg generation throughput: 1388.0 tokens/s, Running: 61 reqs, Waiting: 14 reqs, GPU KV cache usage: 99.3%, Prefix cache hit rate: 37.9%',
      "ERROR 07-02 21:40:44 [serving_chat.py:264] ValueError: This model's maximum context length is 32768 tokens. However, you requested 41077 tokens in the messages, Please reduce the length of the messages.",
      'INFO:     10.4.0.17:55120 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request',
      "ERROR 07-02 21:41:02 [hermes_tool_parser.py:170] Error in extracting tool call from response: json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 88 (char 87)",
      "WARNING 07-02 21:41:09 [protocol.py:58] The following fields were present in the request but ignored: {'on_error', 'abort_on_disconnect'}",
      'INFO 07-02 21:41:15 [logger.py:41] Received request chatcmpl-0c2e: prompt: \'<|im_start|>user\\nMy program says "Segmentation fault (core dumped)", what does it mean?<|im_end|>\\n<|im_start|>assistant\\n\', params: SamplingParams(n=1, temperature=0.7, max_tokens=512), lora_request: None.',
      "ERROR 07-02 21:41:20 [serving_models.py:190] The model 'gpt-4o' does not exist. type=NotFoundError code=404",
    ],
  },
  {
    name: 'http-access-and-scanners',
    story:
      'Uvicorn and nginx access lines record odd paths, bots and single client mistakes in front of a healthy endpoint.',
    lines: [
      'INFO:     172.18.0.1:43820 - "GET /health HTTP/1.1" 200 OK',
      'INFO:     45.148.10.90:51812 - "GET /.env HTTP/1.1" 404 Not Found',
      'INFO:     45.148.10.90:51816 - "POST /cgi-bin/crash-report.cgi?fatal=1 HTTP/1.1" 404 Not Found',
      'INFO:     10.0.3.8:39112 - "POST /v1/completions HTTP/1.1" 422 Unprocessable Entity',
      'WARNING:  Invalid HTTP request received.',
      'INFO:     10.0.3.8:40220 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
      '10.0.3.12 - - [02/Jul/2025:14:02:51 +0200] "POST /v1/chat/completions HTTP/1.1" 499 0 "-" "python-httpx/0.27.2" rt=18.004 upstream_status=-',
      '10.0.3.12 - - [02/Jul/2025:14:03:07 +0200] "POST /v1/embeddings HTTP/1.1" 429 97 "-" "OpenAI/Python 1.93.0"',
      '10.0.3.44 - admin [02/Jul/2025:14:03:19 +0200] "GET /grafana/d/oom-killed-pods?var-reason=OOMKilled HTTP/2.0" 200 18233 "-" "Mozilla/5.0 (X11; Linux x86_64)"',
      '2025/07/02 14:04:00 [warn] 31#31: *8841 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/4/07/0000000074 while reading upstream',
      'INFO:     192.168.1.20:60544 - "POST /v1/audio/transcriptions HTTP/1.1" 501 Not Implemented',
    ],
  },
  {
    name: 'rccl-nccl-init-chatter',
    story:
      'RCCL and NCCL log at INFO level during a successful communicator setup, finding optional plugins and transports absent.',
    lines: [
      'mi300-04:2211:2211 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens50f0',
      'mi300-04:2211:2211 [0] NCCL INFO NET/Plugin: Could not find: librccl-net.so. Using internal network plugin.',
      'mi300-04:2211:2298 [0] NCCL INFO NET/IB : No device found.',
      'mi300-04:2211:2298 [0] NCCL INFO Failed to open libibverbs.so[.1]',
      'mi300-04:2211:2298 [0] NCCL INFO NET/Socket : Using [0]ens50f0:10.22.0.4<0>',
      'mi300-04:2211:2298 [0] /long_pathname_so_that_rpms_can_package_the_debug_info/src/rccl/src/init.cc:128 NCCL WARN Missing "iommu=pt" from kernel command line which can lead to system instablity or hang!',
      'mi300-04:2211:2298 [0] NCCL INFO Kernel version: 6.8.0-60-generic, dmabuf support not found in kernel config, GDR via DMABUF disabled',
      'dgx02:881:1033 [3] NCCL INFO NVLS multicast support is not available on dev 3',
      'dgx02:881:1033 [3] NCCL INFO TUNER/Plugin: Failed to find ncclTunerPlugin_v4 symbol.',
      'dgx02:881:1033 [3] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.',
      'dgx02:881:1033 [3] NCCL INFO TORCH_NCCL_ASYNC_ERROR_HANDLING: 1, TORCH_NCCL_DUMP_ON_TIMEOUT: 0, TIMEOUT(ms): 600000',
      'dgx02:881:1640 [3] NCCL INFO ncclCommInitRank comm 0x5618e2ab30 rank 3 nranks 8 cudaDev 3 nvmlDev 3 busId 5d000 commId 0xdead0bad0faa17ed - Init COMPLETE',
    ],
  },
  {
    name: 'kernel-tuning-and-jit',
    story:
      'Triton, Inductor, MIOpen, hipBLASLt and aiter compile and tune kernels, discarding candidates that do not fit.',
    lines: [
      'AUTOTUNE mm(4096x8192, 8192x1024)',
      '[rank0]:E0611 10:02:17.411000 318 torch/_inductor/select_algorithm.py:2134] Runtime error during autotuning: out of resource: shared memory, Required: 131072, Hardware limit: 65536. Reducing block sizes or num_stages may help.. Ignoring this choice.',
      'Triton autotuning for function _fwd_kernel finished after 4.87s; best config selected: BLOCK_M: 128, BLOCK_N: 64, num_warps: 4, num_stages: 1; 3 of 24 configs failed to compile and were skipped',
      'MIOpen(HIP): Warning [IsEnoughWorkspace] [GetSolutionsFallback WTI] Solver <GemmFwdRest>, workspace required: 70778880, provided ptr: 0 size: 0',
      'MIOpen(HIP): Warning [ReadFile] Unable to open system perf-db file: /opt/rocm/share/miopen/db/gfx110036.db, falling back to heuristics',
      'UserWarning: Attempting to use hipBLASLt on an unsupported architecture! Overriding blas backend to hipblas (Triggered internally at ../aten/src/ATen/Context.cpp:310.)',
      '[aiter] shape M:32, N:7168, K:2304 not found tuned config in /tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!',
      '[aiter] candidate kernel 41 failed accuracy check (err_ratio 0.07 > 0.05), skipped; best kernel 17 12.4us err_ratio 0.00',
      'remark: <unknown>:0:0: Function Name: paged_attention_ll4mi_QKV_mfma16_kernel VGPRs: 128 AGPRs: 0 Spill: 0 [-Rpass-analysis=kernel-resource-usage]',
      '14 warnings generated when compiling for gfx942, 0 errors.',
      'W0611 10:04:55.092000 318 torch/_dynamo/convert_frame.py:964] [2/8] torch._dynamo hit config.recompile_limit (8), falling back to eager for this frame',
      'W0611 10:05:01.330000 318 torch/_inductor/utils.py:1250] Not enough SMs to use max_autotune_gemm mode',
    ],
  },
  {
    name: 'ray-cluster-chatter',
    story:
      'A Ray head and its workers come up and run with their usual noise about ports, metrics agents and retries that succeed.',
    lines: [
      '2025-06-20 08:11:40,112\tINFO worker.py:1888 -- Started a local Ray instance.',
      '2025-06-20 08:11:41,730\tWARNING services.py:2152 -- WARNING: The object store is using /tmp instead of /dev/shm because /dev/shm has only 67108864 bytes available. This will harm performance!',
      "[2025-06-20 08:11:44,009 W 901 955] (raylet) metric_exporter.cc:105: [1] Export metrics to agent failed: RpcError: RPC Error message: failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:52365: Failed to connect to remote host: Connection refused. This won't affect Ray, but you can lose metrics from the cluster.",
      '[2025-06-20 08:11:45,318 I 901 901] (raylet) worker_pool.cc:501: Started worker process with pid 1310, the token is 4',
      '(autoscaler +14s) Tip: use `ray status` to view detailed cluster status. To disable these messages, set RAY_SCHEDULER_EVENTS=0.',
      '[2025-06-20 08:30:45,318 I 901 901] (raylet) node_manager.cc:1485: Disconnecting client, graceful=true, disconnect_type=INTENDED_SYSTEM_EXIT, has creation task exception = false',
      '[2025-06-20 08:31:02,550 I 877 877] (gcs_server) gcs_actor_manager.cc:1298: Actor ae12f70b exited, death cause: ray.kill was not called, actor exited because all references to it were removed. job_id=02000000',
      "(RayWorkerWrapper pid=1310, ip=10.22.0.5) WARNING 06-20 08:12:31 utils.py:580] Overwriting environment variable RAY_EXPERIMENTAL_NOSET_ROCR_VISIBLE_DEVICES from '0' to '1'",
      'FutureWarning: Tip: In future versions of Ray, Ray will no longer override accelerator visible devices env var if num_gpus=0 or num_gpus=None (default). To enable this behavior and turn off this error message, set RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO=0',
      '[2025-06-20 08:12:40,201 I 877 877] (gcs_server) gcs_server.cc:302: task_oom_retries: -1, kill_idle_workers_interval_ms: 200, raylet_death_check_interval_milliseconds: 1000',
    ],
  },
  {
    name: 'hub-download-retries',
    story:
      'Model files are fetched with retries, missing optional files and cached fallbacks, and the load then completes.',
    lines: [
      "'(ReadTimeoutError(\"HTTPSConnectionPool(host='cdn-lfs-us-1.hf.co', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 3b7c9e1a-52b1-4c17-9c9d-2c4f1fda8b30)')' thrown while requesting HEAD https://huggingface.co/Qwen/Qwen3-8B/resolve/main/generation_config.json",
      'Retrying in 1s [Retry 1/5].',
      "WARNING:urllib3.connectionpool:Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f21c0a3d0>: Failed to establish a new connection: [Errno 101] Network is unreachable')': /api/models/Qwen/Qwen3-8B",
      "Xet Storage is enabled for this repo, but the 'hf_xet' package is not installed. Falling back to regular HTTP download. For better performance, install the package with: pip install huggingface_hub[hf_xet]",
      "Error while downloading from https://cdn-lfs-us-1.hf.co/repos/4e/1f/model-00003-of-00005.safetensors: HTTPSConnectionPool(host='cdn-lfs-us-1.hf.co', port=443): Read timed out. Trying to resume download...",
      'WARNING 05-30 17:20:16 [weight_utils.py:288] No model.safetensors.index.json found in remote.',
      'DEBUG:urllib3.connectionpool:https://huggingface.co:443 "HEAD /Qwen/Qwen3-8B/resolve/main/adapter_config.json HTTP/1.1" 404 0',
      'Loading safetensors checkpoint shards: 100% Completed | 5/5 [00:21<00:00,  4.31s/it]',
      'INFO 05-30 17:26:02 [default_loader.py:272] Loading weights took 21.88 seconds (checksum mismatches: 0, corrupt shards: 0)',
    ],
  },
  {
    name: 'tokenizer-and-python-warnings',
    story:
      'Python libraries print their usual deprecation, tokenizer and ignored-exception notices in a healthy engine process.',
    lines: [
      'Special tokens have been added in the vocabulary, make sure the associated word embeddings are fine-tuned or trained.',
      'Token indices sequence length is longer than the specified maximum sequence length for this model (140214 > 131072). Running this sequence through the model will result in indexing errors',
      'huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...',
      '/usr/lib/python3.12/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown',
      '/opt/venv/lib/python3.12/site-packages/torch/cuda/__init__.py:61: FutureWarning: The pynvml package is deprecated. Please install nvidia-ml-py instead. If you did not install pynvml directly, please report this to the maintainers of the package that installed pynvml for you.',
      "sys:1: ResourceWarning: unclosed <socket.socket fd=17, family=2, type=1, proto=0, laddr=('127.0.0.1', 46288), raddr=('127.0.0.1', 8000)>",
      'Exception ignored in: <function _ConnectionBase.__del__ at 0x7fd1d9a0f2e0>',
      '<frozen importlib._bootstrap>:488: DeprecationWarning: builtin type SwigPyPacked has no __module__ attribute',
      'DeprecationWarning: This process (pid=812) is multi-threaded, use of fork() may lead to deadlocks in the child.',
      "No module named 'flash_attn'. FlashAttention-2 is not available, using sdpa instead.",
    ],
  },
  {
    name: 'sglang-serving-noise',
    story:
      'An SGLang server loads, captures graphs and serves, retracting requests and noting aborted ones along the way.',
    lines: [
      "[2025-07-08 11:01:22] server_args=ServerArgs(model_path='/models/DeepSeek-R1', watchdog_timeout=300, dist_timeout=None, crash_dump_folder=None, debug_tensor_dump_output_folder=None, enable_nan_detection=False, sleep_on_idle=False)",
      '[2025-07-08 11:01:30 TP0] Failed to get GPU memory capacity from nvidia-smi, falling back to torch.cuda.mem_get_info: 191.98 GB',
      '[2025-07-08 11:01:31] Attention backend not explicitly specified. Use aiter backend by default.',
      "[2025-07-08 11:01:58 TP4] Ignore import error when loading sglang.srt.models.mllama4: No module named 'vllm'",
      '[2025-07-08 11:03:10 TP0] Disable piecewise CUDA graph because it is not supported on HIP',
      '[2025-07-08 11:03:44 TP0] Capture cuda graph end. Time elapsed: 33.91 s. mem usage=2.20 GB. avail mem=17.45 GB.',
      '[2025-07-08 11:20:05 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 2, #new_token_ratio: 0.6312 -> 0.9840',
      "[2025-07-08 11:20:09 TP0] Abort queued request. rid='9be0c6bc54cf4e28a3b82afb73f5a1b1'",
      "[2025-07-08 11:20:12] Request is disconnected from the client side. Abort request rid='4f1a0a77d1e24d6db8b4f4c93fd0ce12'",
      '[2025-07-08 11:20:12 TP0] Decode batch. #running-req: 118, #token: 912004, token usage: 0.98, cuda graph: False, gen throughput (token/s): 3011.77, #queue-req: 22',
      "[2025-07-08 11:21:30 TP0] Grammar compile for rid=77d1 failed: invalid JSON schema, request finished with reason {'type': 'abort', 'status_code': 400}",
    ],
  },
  {
    name: 'kernel-driver-and-docker-boot',
    story:
      'Kernel, amdgpu driver, systemd and docker print ordinary probing and health messages on a healthy host.',
    lines: [
      '[    1.204117] RAS: Correctable Errors collector initialized.',
      '[    0.882140] ERST: Error Record Serialization Table (ERST) support is initialized.',
      "[    9.417702] amdgpu 0000:03:00.0: amdgpu: PSP runtime database doesn't exist",
      '[    9.902231] amdgpu 0000:03:00.0: amdgpu: RAS: optional ras ta ucode is not available',
      '[    9.913007] amdgpu 0000:03:00.0: amdgpu: SECUREDISPLAY: securedisplay ta ucode is not available',
      '[   10.215530] amdgpu 0000:c1:00.0: amdgpu: Runtime PM not available',
      '[    9.300019] amdgpu: Virtual CRAT table created for CPU',
      'Jul 08 06:25:01 strix1 systemd[1]: systemd-oomd.service - Userspace Out-Of-Memory (OOM) Killer was skipped because no trigger condition checks were met.',
      'Jul 08 06:25:02 strix1 kernel: Kdump: crashkernel reservation not requested, crash dump capture disabled',
      'Jul 08 06:25:09 strix1 dockerd[1022]: time="2025-07-08T06:25:09.114502331+02:00" level=warning msg="Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap."',
      'Jul 08 06:25:10 strix1 dockerd[1022]: time="2025-07-08T06:25:10.520944108+02:00" level=info msg="skip loading plugin" error="path /var/lib/containerd/io.containerd.snapshotter.v1.zfs must be a zfs filesystem to be used with the zfs snapshotter: skip plugin" id=io.containerd.snapshotter.v1.zfs',
      'Jul 08 06:25:30 strix1 systemd[1]: apport-autoreport.service - Process error reports when automatic reporting is enabled was skipped because of an unmet condition check (ConditionPathExistsGlob=/var/crash/*.crash).',
    ],
  },
  {
    name: 'benchmarks-metrics-and-test-harness',
    story:
      'Benchmark reports, prometheus samples, JSON stats and test harness output name failures that did not happen or were expected.',
    lines: [
      '============ Serving Benchmark Result ============ Successful requests: 1000  Failed requests: 0  Benchmark duration (s): 91.44',
      'vllm:request_success_total{engine="0",finished_reason="abort",model_name="qwen3"} 37.0',
      'vllm:num_preemptions_total{engine="0",model_name="qwen3"} 112.0',
      '# HELP process_fatal_errors_total Number of fatal errors since process start.',
      'node_vmstat_oom_kill 0',
      '{"ts":"2025-07-09T12:00:00Z","req":"a81f","status":"ok","ttft_ms":182,"error":null,"exception":null,"timed_out":false,"oom":false}',
      'tests/test_engine.py::test_engine_crash_is_reported PASSED                [ 41%]',
      'tests/kernels/test_fp8.py::test_illegal_memory_access_guard XFAIL (not supported on gfx1100)  [ 43%]',
      '===== 412 passed, 19 skipped, 3 xfailed, 0 failed, 0 errors, 88 warnings in 512.07s (0:08:32) =====',
      'llama_perf_context_print: graphs reused = 254, failed decodes = 0',
      '[  PASSED  ] 36 tests. HipStreamDeathTest.AbortsOnNullHandle (12 ms)',
      'lm_eval: task=stderr_check acc=0.7810 acc_stderr=0.0114 error_rate=0.0000',
    ],
  },
  {
    name: 'echoed-text-history-and-regular-stop',
    story:
      'Logs quote prompts, outputs and old incidents that were solved, and then the engine is restarted in a planned, regular way.',
    lines: [
      'DEBUG output chatcmpl-77e1: text=\'A kernel panic happens when the kernel detects a fatal error; "Out of memory: Killed process 1234 (python)" on the other hand comes from the OOM killer.\' finish_reason=stop',
      'slot print_timing: id  3 | task 901 | prompt "HIP error: out of memory - explain like I am five" | eval time = 4120.22 ms / 260 tokens',
      'srv  stop: cancel task, id_task = 1442',
      'srv  update_slots: failed to find free space in the KV cache, retrying with smaller batch size, i = 0, n_batch = 1024, ret = 1',
      'common_init_from_params: warming up the model with an empty run - please wait ... (--no-warmup to disable)',
      "INFO supervisor: last week's segfault in worker 2 was traced to a bad DIMM, which has since been replaced; note kept for reference, all 8 workers healthy",
      'slurmstepd: debug:  task_p_pre_launch: RLIMIT_CORE no core limit changed, --kill-on-bad-exit=0, oom_kill_step=0',
      'INFO gateway: upstream vllm-1 had failed 1 of 3 health checks at 03:11:20, recovered at 03:11:25, circuit breaker closed',
      'INFO:     Shutting down',
      'INFO:     Waiting for application shutdown.',
      'INFO:     Application shutdown complete.',
      '[rank0]:[W709 18:00:04.771021905 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())',
    ],
  },
];
