import type { TerribleLines } from './terrible-lines.js';

/**
 * Of a second set, written to be as hard as can be and again without a look at the detectors, the groups that are left alone;
 * what is still accused is in docs/known-limits.md.
 */
export const MORE_TERRIBLE_LINES: readonly TerribleLines[] = [
  {
    name: 'vllm-request-prompts-about-crashes',
    story:
      'vLLM, SGLang and TGI log received requests at info level, and the users happen to ask about crashing GPU programs.',
    lines: [
      'INFO 06-11 09:14:22 [logger.py:43] Received request chatcmpl-7f1c2d9b8a: prompt: \'<|im_start|>user\\nMy training job prints "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB" what do I do?<|im_end|>\\n<|im_start|>assistant\\n\', params: SamplingParams(n=1, presence_penalty=0.0, temperature=0.7, top_p=0.95, max_tokens=1024), prompt_token_ids: None, prompt_embeds shape: None, lora_request: None.',
      "INFO 06-11 09:14:31 [logger.py:43] Received request cmpl-0b3e77-0: prompt: 'Explain this log:\\n\\nMemory access fault by GPU node-1 (Agent handle: 0x55d0c8a0) on address 0x7f2a00000000. Reason: Page not present or supervisor privilege.\\nAborted (core dumped)\\n', params: SamplingParams(n=1, temperature=0.0, max_tokens=256), prompt_token_ids: [849, 21435, 420, 1515], lora_request: None.",
      "(APIServer pid=412) INFO 09-02 18:03:55 [logger.py:49] Received request chatcmpl-a1: prompt: '<s>[INST] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause. -- translate this to French [/INST]', params: SamplingParams(n=1, temperature=0.2, max_tokens=128), lora_request: None.",
      '(APIServer pid=412) INFO 09-02 18:03:57 [logger.py:69] Generated response chatcmpl-a1 : output: " L\'EngineCore a rencontré un problème (EngineDeadError). Consultez la trace d\'appels ci-dessus pour la cause première.", output_token_ids: None, finish_reason: stop',
      "[2025-07-19 11:40:08] Receive: obj=GenerateReqInput(rid='5d0f4c', text='Why does my C program say \"Segmentation fault (core dumped)\" when I free a pointer twice?', image_data=None, sampling_params={'max_new_tokens': 512, 'temperature': 0}, stream=True)",
      "[2025-07-19 11:40:14] Finish: obj=GenerateReqInput(rid='5d0f4c', text='Why does my C program say \"Segmentation fault (core dumped)\" when I free a pointer twice?', stream=True), out={'text': 'A double free or corruption (fasttop) error means that the allocator found...', 'meta_info': {'finish_reason': {'type': 'stop'}, 'prompt_tokens': 24, 'completion_tokens': 311}}",
      '2025-05-03T08:22:17.104233Z  INFO generate_stream{parameters=GenerateParameters { best_of: None, temperature: Some(0.5), max_new_tokens: Some(200), stop: ["Killed", "OOMKilled"], details: true } total_time="3.112s" queue_time="41us" inference_time="3.111s" time_per_token="15.5ms" seed="Some(1834)"}: text_generation_router::server: router/src/server.rs:511: Success',
      "DEBUG 06-11 09:15:02 [serving_chat.py:212] messages=[{'role': 'system', 'content': 'You are an SRE.'}, {'role': 'user', 'content': 'dmesg says: amdgpu 0000:03:00.0: amdgpu: GPU reset begin! then ring gfx_0.0.0 timeout. Is my card dead?'}] tool_choice=none",
      "INFO 06-11 09:15:40 [logger.py:43] Received request chatcmpl-9922: prompt: 'user: NCCL WARN Cuda failure 2 \\'out of memory\\'\\nuser: RuntimeError: NCCL error: unhandled cuda error, NCCL version 2.21.5\\nassistant:', params: SamplingParams(n=1, stop=['Traceback (most recent call last):'], max_tokens=400), lora_request: None.",
      "[2025-07-19 11:41:33 TP0] Prefill batch. #new-seq: 1, #new-token: 843, #cached-token: 0, token usage: 0.04, #running-req: 2, #queue-req: 0, first prompt: 'Fatal Python error: Segmentation fault\\\\n\\\\nCurrent thread 0x00007f31 (most recent call first):\\\\n  <what goes here?>'",
    ],
  },
  {
    name: 'gateway-and-sdk-debug-bodies',
    story:
      'LiteLLM, the OpenAI client, httpx and LangChain print request and response bodies that quote disaster logs pasted by users.',
    lines: [
      "DEBUG:openai._base_client:Request options: {'method': 'post', 'url': '/chat/completions', 'files': None, 'idempotency_key': 'stainless-python-retry-3f1c', 'json_data': {'messages': [{'role': 'user', 'content': 'RuntimeError: CUDA error: an illegal memory access was encountered\\nCUDA kernel errors might be asynchronously reported at some other API call'}], 'model': 'llama-3.3-70b', 'max_tokens': 800}}",
      "DEBUG:openai._base_client:HTTP Response: POST http://vllm:8000/v1/chat/completions \"200 OK\" Headers({'date': 'Wed, 11 Jun 2025 08:00:12 GMT', 'server': 'uvicorn', 'content-length': '1180', 'x-conversation-title': 'GPU has fallen off the bus - Xid 79'})",
      "10:44:01 - LiteLLM:DEBUG: utils.py:348 - Final returned optional params: {'temperature': 0.1, 'max_tokens': 512, 'stop': ['\\nTraceback', 'Fatal Python error:', 'RuntimeError:'], 'extra_body': {}}",
      '10:44:04 - LiteLLM:DEBUG: litellm_logging.py:1042 - RAW RESPONSE: {"id":"chatcmpl-51","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"`OSError: [Errno 24] Too many open files` can be solved with `ulimit -n 65535`."}}],"usage":{"prompt_tokens":33,"completion_tokens":21}}',
      '[llm/start] [chain:AgentExecutor > llm:ChatOpenAI] Entering LLM run with input: {"prompts": ["Human: pod vllm-0 was OOMKilled (exit code 137) last month, write a postmortem template"]}',
      '[llm/end] [chain:AgentExecutor > llm:ChatOpenAI] [4.21s] Exiting LLM run with output: {"generations": [[{"text": "# Postmortem: OOMKilled\\n\\n## Impact\\nThe engine was Killed by the kernel...", "generation_info": {"finish_reason": "stop"}}]]}',
      "ChatCompletionMessage(content='The assertion `hipErrorIllegalAddress` (700) means a kernel read from an unmapped page.', refusal=None, role='assistant', annotations=[], audio=None, function_call=None, tool_calls=None)",
      "[HumanMessage(content=\"bind: Address already in use, port 8000, what now?\", additional_kwargs={}, response_metadata={}), AIMessage(content='Find the other process with `ss -ltnp`, then stop it.', response_metadata={'finish_reason': 'stop', 'model_name': 'mistral-small'})]",
      '{"timestamp":"2025-06-11T10:45:30.118Z","level":"INFO","logger":"litellm.proxy","call_type":"acompletion","status":"success","messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"EngineCore died unexpectedly!! ncclInternalError: Internal check failed. help\\"}]","spend":0.00031,"response_time":1.92}',
      '{"level":30,"time":1749631531204,"pid":18,"hostname":"chat-ui-7d9","msg":"conversation title generated","title":"double free or corruption (!prev) in my C++ homework","tokens":9}',
    ],
  },
  {
    name: 'access-logs-with-scary-urls',
    story:
      'nginx, envoy, uvicorn and curl traces carry search queries, referers, file names and branch names that contain words of disaster, all answered with success.',
    lines: [
      '10.0.4.17 - - [11/Jun/2025:10:51:09 +0200] "GET /search?q=vllm+EngineDeadError+HIP+out+of+memory HTTP/1.1" 200 5123 "-" "Mozilla/5.0 (X11; Linux x86_64)"',
      '10.0.4.17 - - [11/Jun/2025:10:51:44 +0200] "POST /v1/chat/completions HTTP/2.0" 200 8831 "https://chat.example.org/c/segmentation-fault-core-dumped-in-libamdhip64" "Mozilla/5.0" rt=4.118 uct=0.000 urt=4.118',
      'INFO:     10.244.1.9:51522 - "GET /files/logs%2Fnccl-error-watchdog-timeout.txt HTTP/1.1" 200 OK',
      'INFO:     127.0.0.1:40112 - "GET /v1/threads/how-to-fix-cuda-out-of-memory/messages?limit=20 HTTP/1.1" 200 OK',
      '[2025-06-11T08:52:10.331Z] "POST /v1/embeddings?tag=kernel-panic HTTP/1.1" 200 - via_upstream - "-" 912 16544 22 21 "10.0.4.3" "rag-indexer/1.4 (collection=no_space_left_on_device)" "c1a0-77" "embed:8080" "10.244.2.4:8080"',
      '> POST /v1/completions HTTP/1.1 | X-Request-Label: repro-GPU-hang-ring-gfx-timeout | < HTTP/1.1 200 OK',
      '* upload completely sent off: 214 bytes; form field name="file"; filename="Traceback_RuntimeError_core_dumped.log"',
      '{"time_local":"11/Jun/2025:10:53:00 +0200","remote_addr":"10.0.9.2","request":"GET /docs/troubleshooting/xid-79-gpu-has-fallen-off-the-bus HTTP/1.1","status":200,"body_bytes_sent":40211,"request_time":0.003,"upstream_status":"-"}',
      '172.17.0.1 - "GET /api/tickets?title=Fatal%20Python%20error%3A%20Aborted&state=closed" 200 12ms',
      '{"method":"POST","path":"/v1/rerank","query":"oom-killer invoked: Out of memory: Killed process (python3)","duration_ms":18.4,"status":200,"documents":25,"level":"info","msg":"request completed"}',
    ],
  },
  {
    name: 'agent-tool-calls-and-streaming',
    story:
      "A coding agent uses the healthy engine, and tool arguments, tool results and streamed chunks contain failures of the user's own programs.",
    lines: [
      'data: {"id":"chatcmpl-e3","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"cmd\\":\\"dmesg | grep -iE \'segfault|GPU reset|Out of memory: Killed process\'\\"}"}}]},"finish_reason":null}]}',
      'data: {"id":"chatcmpl-e3","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"terminate called after throwing an instance of \'std::bad_alloc\'"},"logprobs":null,"finish_reason":null}]}',
      'event: content_block_delta data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Traceback (most recent call last):\\n  File \\"train.py\\", line 88, in <module>\\n    loss.backward()\\nRuntimeError: HIP error: invalid device function\\n"}}',
      '[agent] tool_call id=call_8Kq name=web_search arguments={"query": "HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception. code: 0x1016 site:github.com"}',
      '[agent] tool_result id=call_8Kq role=tool content=\'5 results: 1. "Queue at 0x7f.. aborting with error : HSA_STATUS_ERROR_EXCEPTION" (closed issue) 2. "Memory access fault by GPU node-1" (closed issue) ...\'',
      "INFO:agent.loop:step 14/50 assistant -> edit_file(path='src/alloc.c', old_str='free(p); free(p); /* double free or corruption */', new_str='free(p); p = NULL;')",
      'INFO:agent.loop:step 15/50 user sandbox said: "./a.out: line 1: 2231 Segmentation fault (core dumped) ./a.out" -> asking the model for the next step',
      "ToolMessage(content='E   torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 GiB\\nFAILED tests/test_big.py::test_alloc', name='run_tests', id='6e1', tool_call_id='call_Z2')",
      '2025-06-11 10:58:33.417 | INFO     | openhands.core.logger:log:88 - [Agent Controller 4c1] CmdRunAction: git commit -m "fix: avoid Too many open files and EngineDeadError on reload" (LLM_SOURCE)',
      '15:20:11 aider> Applied edit to watchdog.go; Commit 9ab1f03 fix: do not panic: send on closed channel when the GPU hangs',
    ],
  },
  {
    name: 'structured-logs-and-transcripts',
    story:
      'JSON, logfmt, zap, loguru, syslog and chat-transcript loggers of healthy services store what users said and what the model answered, including text that imitates whole log lines.',
    lines: [
      '{"ts":1749632801.22,"lvl":"info","caller":"chat/store.go:91","msg":"message stored","role":"user","text":"ERROR 06-10 22:11:05 [core.py:586] EngineCore failed to start. <- I get this at home, any idea?","conv":"b81"}',
      'ts=2025-06-11T09:06:42Z level=info component=history msg="saved turn" role=assistant chars=412 preview="RuntimeError: Engine core initialization failed means that the child process exited early; you should..."',
      '{"@timestamp":"2025-06-11T09:06:50.001Z","log.level":"INFO","event.action":"moderation.pass","user.input":"my GPU watchdog timeout kills the display, NMI watchdog: BUG: soft lockup - CPU#3 stuck for 22s!","score":0.002}',
      'Jun 11 11:07:12 chat01 open-webui[2210]: INFO | open_webui.routers.tasks:generate_title | generated title: "💥 Fixing \'CUDA error: device-side assert triggered\'" for chat 0c77',
      '[11:07:40] <anna> llama-server said "Killed" yesterday on my laptop  [11:07:48] <bot> That was most likely the OOM killer of your laptop: a 70B model does not fit in 16 GB.',
      '2025-06-11 11:08:02.118 | DEBUG    | rag.retriever:query:57 - top hit score=0.83 chunk="...vm.overcommit. If the log shows \'Out of memory: Killed process 1234 (vllm)\', raise the limit of the container..."',
      '{"severity":"INFO","message":"prompt_logged","prompt":"Summarize:\\\\n[ 1234.567] amdgpu 0000:c1:00.0: [drm] *ERROR* ring sdma0 timeout, signaled seq=12, emitted seq=14\\\\n[ 1234.570] amdgpu: GPU reset(2) succeeded!","prompt_tokens":88,"trace":"9f0c"}',
      'Transcript 41, turn 3 (assistant): "Fatal Python error: Bus error" usually means that /dev/shm is too small; start the container with --shm-size=16g.',
      "{'event': 'feedback', 'thumbs': 'up', 'user_text': 'thx, \"terminate called without an active exception\" is gone now', 'model': 'gpt-oss-120b', 'latency_s': 2.4}",
      'level=info msg="speech to text finished" text="the program said segmentation fault and then the kernel killed it" duration=3.4s language=en',
    ],
  },
  {
    name: 'retries-that-succeed-and-skipped-candidates',
    story:
      'Engines, compilers and downloaders meet a refusal, take the next candidate or retry, and go on as designed.',
    lines: [
      'AUTOTUNE mm(4096x4096, 4096x11008): triton_mm_17 skipped: OutOfResources: out of resource: shared memory, Required: 147456, Hardware limit: 65536. Reducing block sizes or `num_stages` may help. 18 of 19 choices benchmarked, best triton_mm_4 0.2114 ms',
      "INFO 06-11 11:15:01 [benchmark_moe.py:322] config {'BLOCK_SIZE_M': 256, 'num_stages': 5} ran out of memory (HIP out of memory), trying next config (311/1920)",
      "[TensorRT-LLM][INFO] Autotuner: tactic 14 failed with 'CUDA error: invalid configuration argument', skipped; selected tactic 9 (38.2 us)",
      'MIOpen(HIP): Info [FindSolution] ConvHipImplicitGemmGroupFwdXdlops: not applicable, out of workspace memory, skipping; using ConvDirectNaive',
      "huggingface_hub.utils._http: INFO 'Connection reset by peer' thrown while requesting GET https://huggingface.co/Qwen/Qwen3-8B/resolve/main/config.json; retrying in 1s [Retry 1/5]: succeeded",
      'INFO:openai._base_client:Retrying request to /chat/completions in 0.412000 seconds (previous attempt: ReadTimeout); attempt 2 returned 200 OK',
      'time=2025-06-11T11:16:20.144Z level=INFO source=sched.go:520 msg="first layout did not fit (cudaMalloc failed: out of memory on probe allocation), retried with 40 GPU layers, load succeeded" model=llama3.3:70b',
      'INFO 06-11 11:16:41 [utils.py:2031] Port 29500: Address already in use, trying port 29501 instead. Using port 29501.',
      '2025-06-11 11:17:03,550 INFO worker.py:1879 -- Ray GCS was not ready (RpcError: connection refused), retry 2/10 ok, connected to cluster at 10.0.4.11:6379',
      'INFO: CUDA graph capture for batch size 512 hit out of memory during probing, recovered; capture list reduced to [1, 2, 4, 8, 16, 32, 64, 128, 256]. Graph capturing finished in 21 secs, took 0.62 GiB',
    ],
  },
];
