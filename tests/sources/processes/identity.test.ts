import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../../../src/foreign/config-field.js';
import { processPatternFields } from '../../../src/foreign/shared-fields.js';
import { identify } from '../../../src/sources/processes/identity.js';
import { ProcessPatterns } from '../../../src/sources/processes/patterns.js';
import { serverOptions } from '../../../src/sources/processes/server-options.js';

const { server_process_patterns, benchmark_process_patterns } = defaultsOf(processPatternFields);
const patterns = new ProcessPatterns(server_process_patterns, benchmark_process_patterns);

function kindOf(argv: readonly string[], using = patterns): 'server' | 'other' | 'none' {
  if (!using.mayMatch(argv)) return 'none';
  const { isServer, matched } = using.match(identify(argv, '/ws/inferencex-model/session'));
  return isServer ? 'server' : matched ? 'other' : 'none';
}

describe('a process is recognised by what it is', () => {
  it.each([
    ['server', ['python3', '-m', 'sglang.launch_server', '--port', '9001']],
    ['server', ['/opt/venv/bin/python3.12', '-u', '-m', 'vllm.entrypoints.openai.api_server']],
    ['server', ['python', '-X', 'faulthandler', '-msglang.launch_server']],
    ['server', ['/usr/bin/python3', '/usr/local/bin/vllm', 'serve', 'model']],
    ['server', ['vllm', 'serve', 'model']],
    ['server', ['sglang', 'serve', '--model', 'x']],
    ['server', ['python3', '/x/python/sglang/launch_server.py']],
    ['server', ['python3', '-m', 'other.frontend.launch_server']],
    ['server', ['python3', '-m', 'atom.entrypoints.openai_server']],
    ['server', ['VLLM::EngineCore_DP0']],
    ['server', ['VLLM::Worker_TP3']],
    ['server', ['sglang::scheduler_TP0']],
    ['server', ['sglang::detokenizer']],
    ['server', ['python', '-m', 'sglang.srt.managers.scheduler']],
    ['other', ['ray::IDLE']],
    ['other', ['ray::IDLE_SpillWorker']],
    ['other', ['ray::ServingActor.generate']],
    ['other', ['/usr/lib/ray/core/raylet', '--x']],
    ['other', ['/opt/rocm/bin/hipcc', '-c', 'x.cpp']],
    ['other', ['python', '-m', 'Magpie', 'run']],
    ['other', ['MAGPIE', 'x']],
    ['other', ['python3', 'benchmark_serving.py', '--port', '8000']],
    ['other', ['bash', '/opt/inferencex/benchmarks/dsr1.sh']],
  ] as const)('%s: %j', (kind, argv) => {
    expect(kindOf(argv)).toBe(kind);
  });

  it.each([
    [['vim', 'vllm.entrypoints.notes']],
    [['tail', '-f', '/x/Magpie/run.log']],
    [['grep', 'EngineCore', 'server.log']],
    [['grep', '-r', 'sglang.launch_server']],
    [['python', 'watch.py', 'vllm', 'serve']],
    [['python', '-c', 'import sglang.launch_server']],
    [['bash', '-c', 'python -m sglang.launch_server']],
    [['bash', '/ws/inferencex-model/session/run.sh']],
    [['less', '/ws/inferencex-model/session/server.log']],
    [['python', '-m', 'my_sglang.launch_servers']],
    [['vllm', 'bench', 'serve']],
    [['serve', 'vllm']],
    [['nginx: worker process']],
    [['']],
    [[]],
  ])('not by what it mentions: %j', (argv) => {
    expect(kindOf(argv)).toBe('none');
  });

  it('also by configured texts, against program, module and title alone', () => {
    const own = new ProcessPatterns(['trtserver', 'my.module', 'foo run'], []);
    expect(kindOf(['/opt/TRTServer-2', 'x'], own)).toBe('server');
    expect(kindOf(['python', '-m', 'my.module.sub'], own)).toBe('server');
    expect(kindOf(['python', '-m', 'my.modules'], own)).toBe('none');
    expect(kindOf(['foo', '--fast', 'run'], own)).toBe('server');
    expect(kindOf(['echo', 'trtserver'], own)).toBe('none');
  });
});

describe('the port of a server', () => {
  it.each([
    [['x', '--port', '9001', '--host', '0.0.0.0'], 9001, '0.0.0.0'],
    [['x', '--port=9002', '--host=h'], 9002, 'h'],
    [['x', '-p', '9003'], 9003, null],
    [['x', '--port', 'auto'], null, null],
    [['x', '--port', '70000'], null, null],
    [['x', '--port'], null, null],
  ])('is what it was told: %j', (argv, port, host) => {
    expect(serverOptions(argv)).toEqual({ port, host });
  });
});
