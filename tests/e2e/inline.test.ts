import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.js';
import { type Play, startProvider } from '../support/provider-server.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

interface Ticked {
  readonly sessionDir: string;
  readonly code: number | null;
  readonly stderr: string;
  readonly emit: {
    readonly intent_envelope: { readonly intents: readonly { readonly intent_type: string }[] };
  };
  readonly queue: readonly { readonly attempts: number }[];
  readonly index: readonly { readonly key: string; readonly mode: string }[];
  readonly results: readonly { readonly budget: { readonly exhausted: string | null } }[];
}

async function tick(options: Record<string, unknown>, env: Record<string, string> = {}): Promise<Ticked> {
  const sessionDir = tempDir();
  const { request, out } = requestFiles(sessionDir, { sessionDir, options });
  const { code, stderr } = await runCli(['tick', '--request', request, '--out', out], { env });
  return { code, stderr, emit: JSON.parse(readFileSync(out, 'utf8')), ...stored(sessionDir) };
}

function stored(sessionDir: string): Pick<Ticked, 'sessionDir' | 'queue' | 'index' | 'results'> {
  const root = join(sessionDir, 'agents/robustness/investigations');
  const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const names = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);
  const lines = existsSync(join(root, 'index.jsonl')) ? readFileSync(join(root, 'index.jsonl'), 'utf8') : '';
  return {
    sessionDir,
    queue: names(join(root, 'queue'))
      .filter((name) => name.startsWith('job-'))
      .map((name) => json(join(root, 'queue', name))),
    index: lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
    results: names(root)
      .map((name) => join(root, name, 'result.json'))
      .filter((path) => existsSync(path))
      .map(json),
  };
}

const alerts = ({ emit }: Ticked) => emit.intent_envelope.intents.map(({ intent_type: type }) => type);

describe('a tick that investigates before it ends', () => {
  it('leaves a result in place of the job, beside the same answer', async () => {
    const plain = await tick({ investigate_mode: 'spool' });
    expect(plain).toMatchObject({ code: 0, queue: [{ attempts: 0 }], index: [], results: [] });
    const inline = await tick({ investigate_mode: 'inline' });
    expect(inline).toMatchObject({ code: 0, stderr: '', queue: [], index: [{ mode: 'deterministic' }] });
    expect(inline.results).toHaveLength(1);
    expect(inline.results[0]?.budget.exhausted).toBeNull();
    expect(alerts(inline)).toEqual(alerts(plain));
    const { sessionDir } = inline;
    expect(existsSync(join(sessionDir, 'agents/robustness/investigations/worker.lock'))).toBe(false);
  });

  it('takes its mode from the environment, too, and does nothing when it is off', async () => {
    const inline = await tick({}, { INVESTIGATE_MODE: 'inline' });
    expect(inline).toMatchObject({ code: 0, queue: [], results: [{}] });
    const off = await tick({}, { INVESTIGATE_MODE: 'off' });
    expect(off).toMatchObject({ code: 0, queue: [], results: [] });
  });

  it.each<[string, Record<string, unknown>]>([
    ['its own budget', { investigate_inline_budget_s: 1 }],
    ["the tick's deadline", { investigate_inline_budget_s: 60, tick_deadline_s: 4, sources_deadline_s: 1 }],
  ])('is held to %s: the answer stands, the job waits for a worker', async (_what, limits) => {
    const sessionDir = tempDir();
    const { request, out } = requestFiles(sessionDir, {
      sessionDir,
      options: { investigate_mode: 'inline', ...limits },
    });
    let answered: unknown;
    const hang: Play = 'hang';
    const provider = await startProvider(() => {
      // While the model has the question, the host can already read the answer.
      answered = JSON.parse(readFileSync(out, 'utf8'));
      return hang;
    });
    onTestFinished(() => provider.close());
    const env = { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: `${provider.origin}/v1` };
    const begun = performance.now();
    const { code } = await runCli(['tick', '--request', request, '--out', out], { env });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(provider.requests.length).toBeGreaterThan(0);
    expect(answered).toEqual(JSON.parse(readFileSync(out, 'utf8')));
    expect(stored(sessionDir)).toMatchObject({
      queue: [{ attempts: 0 }],
      index: [],
      results: [{ budget: { exhausted: 'cancelled' } }],
    });

    const listed = await runCli(['investigate', '--session-dir', sessionDir]);
    expect(listed.stdout).toMatch(/inv-\d+-[0-9a-f]{8} {2}cancelled/);
    const worker = await runCli([
      'investigate',
      '--watch',
      '--once',
      '--no-llm',
      '--session-dir',
      sessionDir,
    ]);
    expect(worker).toMatchObject({ code: 0, stderr: '' });
    const after = stored(sessionDir);
    expect(after.queue).toEqual([]);
    expect(after.index).toHaveLength(1);
    expect(after.results.map(({ budget }) => budget.exhausted).sort()).toEqual(['cancelled', null]);
  });

  it('leaves the job alone where no time is left at all', async () => {
    const { code, queue, results } = await tick({ investigate_mode: 'inline', tick_deadline_s: 1 });
    expect({ code, queue, results }).toMatchObject({ code: 0, queue: [{ attempts: 0 }], results: [] });
  });

  it('says what is wrong with its settings, and leaves the job', async () => {
    const ticked = await tick({ investigate_mode: 'inline' }, { INVESTIGATE_PRICES: 'cheap' });
    expect(ticked).toMatchObject({ code: 0, queue: [{ attempts: 0 }], results: [] });
    expect(ticked.stderr).toContain('nothing is investigated inline');
  });

  it('keeps what it writes to its owner', async () => {
    const { sessionDir } = await tick({ investigate_mode: 'spool' });
    const root = join(sessionDir, 'agents/robustness/investigations');
    const [job = ''] = readdirSync(join(root, 'queue'));
    const modes = [root, join(root, 'queue'), join(root, 'queue', job)].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });
});
