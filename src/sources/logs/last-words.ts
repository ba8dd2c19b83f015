import type { LogDetector } from './detectors.js';
import { asWord, directly, type Language, literal, near, oneOf } from './language.js';

/** Names of errors that both runtimes publish, but for those that programs ask for and live with. */
const RUNTIME_ERROR =
  /(?!already|array|context|filenotfound|hostmemory|invalidvalue|notfound|notmapped|notready|notsupported|peeraccess)[a-z]{4,40}/;

/** Libraries on top of them, which name themselves before they say that something failed. */
const LIBRARIES = ['rocblas', 'rocsolver', 'rocsparse', 'rocfft', 'hipfft', 'hipsparse', 'miopen', 'cublas'];

/** How the memory allocator of the C library says that it found itself damaged. */
const ALLOCATOR_CALLS = ['malloc(): ', 'free(): ', 'realloc(): ', 'munmap_chunk(): '];

function anyWord(...words: readonly string[]): Language {
  return oneOf(...words.map((word) => asWord(literal(word))));
}

/** Last words of engines, drivers and runtimes beyond the specification's list, by class. */
export const lastWords = (): readonly LogDetector[] => [
  {
    identifier: 'sigquit from a child process',
    role: 'confirmation',
    language: literal('received sigquit from a child process'),
  },
  {
    identifier: 'engine watchdog timeout',
    role: 'confirmation',
    language: directly('watchdog timeout', / {1,4}\(self\./),
  },
  { identifier: 'Segfault encountered', role: 'root', language: literal('segfault encountered') },
  {
    identifier: 'Scheduler hit an exception',
    role: 'confirmation',
    language: literal('scheduler hit an exception'),
  },
  {
    identifier: 'worker died unexpectedly',
    role: 'confirmation',
    language: near('worker', 'died unexpectedly', 60),
  },
  {
    identifier: 'No available memory for the cache blocks',
    role: 'root',
    language: literal('no available memory for the cache blocks'),
  },
  {
    identifier: 'Not enough memory for the engine',
    role: 'root',
    language: oneOf(
      literal('not enough memory. please try to increase --mem-fraction-static'),
      ...['decode', 'prefill'].map((step) => directly(`${step} out of memory. `, /try to lower/)),
    ),
  },
  {
    identifier: 'NCCL completion with error',
    role: 'root',
    language: near('nccl warn net/ib', 'got completion from peer', 40),
  },
  { identifier: 'GPU reset begin', role: 'root', language: literal('gpu reset begin!') },
  { identifier: 'HW Exception by GPU', role: 'root', language: literal('hw exception by gpu') },
  {
    identifier: 'GPU runtime error',
    role: 'root',
    language: oneOf(
      ...['hip', 'cuda', 'rocm'].flatMap((runtime) => [
        // As frameworks print it; with what follows it is no counter.
        asWord(directly(`${runtime} error: `, /[a-z]\w{0,63}/)),
        asWord(directly(`${runtime}error`, RUNTIME_ERROR)),
      ]),
    ),
  },
  {
    identifier: 'GPU library error',
    role: 'root',
    language: oneOf(
      ...LIBRARIES.map((name) => directly(name, /(?:lt)?(?:\([a-z]{2,8}\))?:? {0,2}error(?::| from )/)),
    ),
  },
  {
    identifier: 'heap corruption',
    role: 'root',
    language: oneOf(
      ...['double free or corruption', 'stack smashing detected', 'buffer overflow detected'].map(literal),
      directly('corrupted ', /(?:size vs\. prev_size|double-linked list|unsorted chunks)/),
      ...ALLOCATOR_CALLS.map((call) =>
        directly(call, /(?:corrupted|double free|invalid|memory corruption|mismatching|unaligned|unsorted)/),
      ),
    ),
  },
  { identifier: 'C++ terminate', role: 'confirmation', language: literal('terminate called ') },
  { identifier: 'Fatal Python error', role: 'confirmation', language: literal('fatal python error: ') },
  {
    identifier: 'component hit an exception',
    role: 'confirmation',
    language: literal('hit an exception: traceback'),
  },
  {
    identifier: 'Ray worker died',
    role: 'confirmation',
    language: oneOf(
      literal('worker died or was killed'),
      literal('the actor died unexpectedly'),
      anyWord('rayactorerror', 'actordiederror', 'workercrashederror'),
    ),
  },
  { identifier: 'KV cache too small', role: 'root', language: near('larger than the ', ' kv cache', 80) },
  {
    identifier: 'broken checkpoint',
    role: 'root',
    language: oneOf(
      literal('error while deserializing header'),
      literal('pytorchstreamreader failed'),
      near('unexpected eof, expected', 'more bytes', 20),
    ),
  },
  {
    identifier: 'network port error',
    role: 'root',
    language: oneOf(near('got async event', 'port error', 8), literal('got async fatal event')),
  },
  {
    identifier: 'NCCL call failed',
    role: 'root',
    language: oneOf(near('nccl warn call to ', ' failed', 60), near('nccl warn call to ', ' returned ', 60)),
  },
  {
    identifier: 'amdgpu firmware does not respond',
    role: 'root',
    language: oneOf(
      ...['mes', 'smu', 'psp', 'imu', 'rlc'].map((unit) =>
        directly(`amdgpu: ${unit}`, /:? {0,2}[^:]{0,20}(?:failed to respond|no response|not responding)/),
      ),
      near('amdgpu', 'unrecoverable', 120),
      near('amdgpu', 'gpu recovery failed', 120),
    ),
  },
  {
    identifier: 'rendezvous failed',
    role: 'root',
    language: oneOf(
      anyWord('distnetworkerror', 'rendezvousconnectionerror', 'rendezvoustimeouterror'),
      near('waiting for clients', 'clients joined', 20),
    ),
  },
  {
    identifier: 'native crash handler',
    role: 'confirmation',
    language: oneOf(
      directly('*** aborted at ', /\d{9,11} \(unix time\)/),
      directly('*** sig', /[a-z]{2,6} \(@?0x[0-9a-f]{1,16}\) received by pid/),
    ),
  },
  {
    // Killed and terminated are how a server is stopped, too.
    identifier: 'shell reports a crash',
    role: 'confirmation',
    language: directly(
      ': line ',
      /\d{1,6}: {1,3}\d{1,9} (?:segmentation fault|aborted|bus error|floating point exception|illegal instruction)/,
    ),
  },
  {
    // Not those that end as they should, or because they are told to.
    identifier: 'subprocess ended with an error',
    role: 'cascade',
    language: directly(
      'subprocess ',
      /[\w./:-]{1,60} (?:exited|ended|terminated|died) with (?:exit ?code|code|status|signal) (?!-?(?:0|2|15)\b|1(?:30|43)\b)-?\d{1,10}/,
    ),
  },
  { identifier: 'Rust panic', role: 'cascade', language: near("thread '", "' panicked at ", 80) },
  {
    identifier: 'shared library missing',
    role: 'cascade',
    language: literal('error while loading shared libraries: '),
  },
  { identifier: 'GPU queue not created', role: 'root', language: near('kfd', 'failed to create queue', 40) },
  {
    identifier: 'memory not registered for the network',
    role: 'cascade',
    language: near('ibv_reg_mr', ' failed', 120),
  },
  {
    identifier: 'no kernel for the shape',
    role: 'root',
    language: directly(
      'error',
      /:? {0,2}no (?:suitable |valid |matching )?(?:kernel|solution|algorithm|instance)s? (?:was |were )?(?:found|available)/,
    ),
  },
  {
    identifier: 'killed by the OOM killer',
    role: 'root',
    language: oneOf(literal('has been killed by the oom killer'), literal("failed with result 'oom-kill'")),
  },
  {
    // Not those that somebody cancelled, as a harness does with every server it is done with.
    identifier: 'batch system ended the job',
    role: 'root',
    language: directly(
      ': error: *** ',
      /(?:job|step) [^*]{1,160} due to (?:time limit|node failure|preemption|job requeue)/,
    ),
  },
  {
    // Not the counters of errors, which the driver also writes when nothing is new.
    identifier: 'GPU memory poisoned',
    role: 'root',
    language: oneOf(near('amdgpu', 'poison is consumed', 80), near('amdgpu', 'poison consumption', 80)),
  },
  {
    identifier: 'container not started',
    role: 'root',
    language: directly(
      'error response from daemon: ',
      /(?:error gathering device information|could not select device driver|failed to create (?:task|shim)|oci runtime|driver failed programming)/,
    ),
  },
  {
    identifier: 'Go panic',
    role: 'cascade',
    language: oneOf(
      directly('panic: ', /runtime error: /),
      directly('goroutine ', /\d{1,9} \[running\]:/),
      literal('all goroutines are asleep'),
    ),
  },
];

/** A line that names an exception, as the last one of a trace does, and says what for. */
export const EXCEPTION =
  /^(?:\s|\[[^\]]{0,120}\]|\([^)]{0,80}\)|[\d:.,/-]|(?:error|critical|fatal)\b)*(?:[a-z_]\w{0,60}\.){0,8}(?:[a-z_]\w{0,60}(?:error|exception): .|(?:errors|exceptions)\.[a-z_]\w{0,60}: (?![\d.]{1,20}\s*$).)/;

/** Tried after all others: what it names is a failure only when a task of the session fails at the same time. */
export const ANY_EXCEPTION: LogDetector = {
  identifier: 'unhandled exception',
  role: 'cascade',
  language: (line, from) => {
    if (from > 0) return undefined;
    const found = EXCEPTION.exec(line.slice(0, 1000));
    return found === null ? undefined : { start: 0, end: found[0].length };
  },
};
