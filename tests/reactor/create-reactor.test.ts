import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReactor, findingsFiles, parsePrompt, ReactorError, readFindings } from '../../src/index.js';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles, tickRequest } from '../support/tick-request.js';

/** Looks at nothing of this machine. */
const config = { disable_local_probe: true, external_deps_enabled: false };
const NOW = 1_772_442_000;

function request(parts: { readonly tick?: number; readonly crashCount?: number } = {}) {
  const { session_id, raw_prompt, context } = tickRequest({ sessionDir: '', nowUnix: NOW, ...parts });
  return { session_id, raw_prompt, context };
}

async function refusalOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await promise.catch((caught: unknown) => caught);
  if (!(error instanceof ReactorError)) throw new Error(`no refusal: ${String(error)}`);
  return { code: error.code, message: error.message };
}

describe('a reactor in another program', () => {
  it('answers what the command line answers, and leaves the same findings', async () => {
    const [ours, theirs] = [tempDir(), tempDir()];
    const { request: file, out } = requestFiles(theirs, { sessionDir: theirs, nowUnix: NOW });
    await runCli(['tick', '--request', file, '--out', out]);
    const { emit, findings, problems } = await createReactor({ sessionDir: ours, config }).tick(request());
    expect(emit).toEqual(JSON.parse(readFileSync(out, 'utf8')));
    const rows = (dir: string) => readFileSync(join(dir, 'agents/robustness/findings/s.jsonl'), 'utf8');
    expect(rows(ours)).toBe(rows(theirs));
    expect(findings.map(({ symptom_name }) => symptom_name)).toEqual(['crash_count_high']);
    expect(problems).toEqual([]);
  });

  it('remembers: an unchanged symptom is not repeated', async () => {
    const reactor = createReactor({ sessionDir: tempDir(), config });
    const types = [];
    for (const tick of [1, 2]) {
      const { emit } = await reactor.tick(request({ tick }));
      types.push(emit.intent_envelope.intents.map(({ intent_type }) => intent_type));
    }
    expect(types).toEqual([['alert'], ['send_message']]);
  });

  it('runs ticks that are asked for at once one after the other', async () => {
    const sessionDir = tempDir();
    const reactor = createReactor({ sessionDir, config: { ...config, cooldown_ticks: 0 } });
    const answers = await Promise.all(
      [1, 2, 3, 4].map((tick) => reactor.tick(request({ tick, crashCount: 4 + tick }))),
    );
    expect(answers.flatMap(({ problems }) => problems)).toEqual([]);
    const rows = [];
    for await (const line of readFindings(findingsFiles(sessionDir, 's')))
      rows.push(line.ok && line.finding.tick_index);
    expect(rows).toEqual([1, 2, 3, 4]);
  });

  it('names options that are none, and another session directory, as warnings', async () => {
    const reactor = createReactor({ sessionDir: tempDir(), config });
    const options = { colour: 'red', session_dir: '/another' };
    const { emit } = await reactor.tick({ ...request(), options });
    expect(emit.parse_warnings).toHaveLength(2);
    expect(emit.parse_warnings.join('\n')).toMatch(/session_dir is \/another[\s\S]*colour/);
  });

  it('refuses what is no request, and works on', async () => {
    const reactor = createReactor({ sessionDir: tempDir(), config });
    const refusal = await refusalOf(reactor.tick({ ...request(), raw_prompt: ' ' }));
    expect(refusal).toMatchObject({
      code: 'RA_REQUEST_FIELD',
      message: expect.stringContaining('raw_prompt'),
    });
    expect((await reactor.tick(request())).findings).toHaveLength(1);
  });

  it('takes no tick after close, which waits for those under way', async () => {
    const sessionDir = tempDir();
    const reactor = createReactor({ sessionDir, config });
    const running = reactor.tick(request());
    await reactor.close();
    expect(existsSync(join(sessionDir, 'agents/robustness/findings/s.jsonl'))).toBe(true);
    expect((await running).findings).toHaveLength(1);
    expect(await refusalOf(reactor.tick(request()))).toMatchObject({ code: 'RA_REACTOR_CLOSED' });
  });

  it('refuses settings that are none, all of them by name', () => {
    expect(() => createReactor({ sessionDir: tempDir(), config: { colour: 'red', nodes: 'x' } })).toThrow(
      /^there is no setting colour\. nodes is not usable, expected an integer/,
    );
  });
});

describe('the prompt parser of the library', () => {
  it('gives the prompt as data', () => {
    expect(parsePrompt(request().raw_prompt)).toMatchObject({
      shared_state: { crash_count: 5, tick: 1 },
      warnings: [],
    });
  });
});
