import type { LogDetector } from './detectors.js';
import { asWord, directly, type Language, literal, near, oneOf } from './language.js';

/** Errors after which nothing works on the device any more, of the enumerations that both runtimes publish. */
const FATAL_RUNTIME_ERROR =
  /(?:assert|deinitialized|devicesunavailable|eccnotcorrectable|eccuncorrectable|hardwarestackerror|illegaladdress|illegalinstruction|illegalstate|invaliddevice|invalidimage|invalidkernelfile|invalidkernelimage|launchfailure|launchtimeout|misalignedaddress|nobinaryforgpu|nodevice|nokernelimagefordevice|notinitialized|operatingsystem|sharedobjectinitfailed|sharedobjectsymbolnotfound)/;

/** Libraries on top of them, which name themselves before they say that something failed. */
const LIBRARIES = ['rocblas', 'rocsolver', 'rocsparse', 'rocfft', 'hipfft', 'hipsparse', 'miopen', 'cublas'];

/** How the memory allocator of the C library says that it found itself damaged. */
const ALLOCATOR_CALLS = ['malloc(): ', 'free(): ', 'realloc(): ', 'munmap_chunk(): '];

function anyWord(...words: readonly string[]): Language {
  return oneOf(...words.map((word) => asWord(literal(word))));
}

/** Last words of engines, drivers and runtimes beyond the specification's list, by class. */
export const LAST_WORDS: readonly LogDetector[] = [
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
    language: literal('not enough memory. please try to increase --mem-fraction-static'),
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
      ...['hip', 'cuda'].flatMap((runtime) => [
        // As frameworks print it; with what follows it is no counter.
        asWord(directly(`${runtime} error: `, /[a-z]\w{0,63}/)),
        asWord(directly(`${runtime}error`, FATAL_RUNTIME_ERROR)),
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
    identifier: 'rendezvous failed',
    role: 'root',
    language: oneOf(
      anyWord('distnetworkerror', 'rendezvousconnectionerror', 'rendezvoustimeouterror'),
      near('waiting for clients', 'clients joined', 20),
    ),
  },
];
