import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.js';
import { filesBelow } from '../support/files-below.js';
import { completion, type Play, type SeenRequest, startProvider } from '../support/provider-server.js';
import { tempDir } from '../support/temp-dir.js';

const CANARIES = {
  host: 'canary-gpu17',
  fqdn: 'canary-store4.lab.example.com',
  address: '10.87.65.43',
  user: 'canaryroe',
  account: 'cust-7301945',
  mail: 'canary.roe@mail.example.org',
};

function sessionWithNames(): string {
  const directory = join(tempDir(), 'session');
  mkdirSync(join(directory, 'runs', 'explore', 't-12'), { recursive: true });
  const stamp = new Date(Date.now() - 5000).toISOString();
  const lines = [
    `INFO host=${CANARIES.host} starting for user=${CANARIES.user}`,
    `ERROR engine: torch.OutOfMemoryError: HIP out of memory on ${CANARIES.host}`,
    `ERROR upload to http://${CANARIES.fqdn}:9000/bucket for ${CANARIES.mail} failed`,
    `ERROR peer ${CANARIES.address} reset, customer_id=${CANARIES.account}`,
    `ERROR File "/home/${CANARIES.user}/train.py", line 3`,
  ];
  const text = lines.map((line) => `${stamp} ${line}\n`).join('');
  writeFileSync(join(directory, 'runs', 'explore', 't-12', 'server.log'), text);
  return directory;
}

const call = (name: string, args: unknown): Play =>
  completion(
    {
      content: null,
      tool_calls: [
        { id: `c-${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    },
    { finish_reason: 'tool_calls' },
  );

/** The stand-in that the model sees in place of a name, found by what stands before it. */
const standIn = (seen: SeenRequest, before: RegExp): string =>
  new RegExp(`${before.source}(masked-(?:host|user)-\\d+)`).exec(seen.text)?.[1] ?? 'none';

async function ask(env: Record<string, string>) {
  const sessionDir = sessionWithNames();
  const provider = await startProvider((seen, index) => {
    const host = standIn(seen, /out of memory on /);
    if (index === 0) return call('search_session_logs', { pattern: `out of memory on ${host}` });
    const receipt = /receipt_id\\+":\\+"(r\d{3})/.exec(seen.text)?.[1] ?? 'r001';
    const cause = {
      description: `the engine on ${host} ran out of memory`,
      confidence: 0.5,
      error_type: 'oom',
      claims: [{ text: 'out of memory', receipt_ids: [receipt], quote: `HIP out of memory on ${host}` }],
    };
    return call('submit_result', {
      issue_summary: `${host} died`,
      root_cause: cause,
      recommended_fix: 'less',
    });
  });
  onTestFinished(() => provider.close());
  const issue = `${CANARIES.host} died, says ${CANARIES.mail}, account_id=${CANARIES.account}`;
  const { code, stdout } = await runCli(
    ['investigate', '--issue', issue, '--session-dir', sessionDir, '--json'],
    {
      env: {
        OPENAI_API_KEY: 'sk-test-0123456789',
        OPENAI_BASE_URL: `${provider.origin}/v1`,
        ROBUSTNESS_DISABLE_LOCAL_PROBE: '1',
        ...env,
      },
    },
  );
  return { code, result: JSON.parse(stdout), provider, sessionDir };
}

describe('names of hosts and users', () => {
  it('are not sent to a model, and are the real ones in everything that stays here', async () => {
    const { code, result, provider, sessionDir } = await ask({ INVESTIGATE_MASK_IDENTIFIERS: 'true' });
    expect(code).toBe(0);
    expect(provider.requests.length).toBeGreaterThan(1);
    const sent = provider.requests.map(({ text }) => text).join('\n');
    for (const canary of [...Object.values(CANARIES), hostname()]) expect(sent).not.toContain(canary);
    expect(sent).toMatch(/masked-host-\d+/);

    // The call that named a stand-in looked for the real name, and found it.
    const [step] = result.investigation_steps.slice(-1);
    expect(step).toMatchObject({
      tool: 'search_session_logs',
      result_summary: expect.stringMatching(/^ok, 1/),
    });
    expect(result).toMatchObject({
      mode: 'llm',
      issue_summary: `${CANARIES.host} died`,
      root_cause: {
        description: `the engine on ${CANARIES.host} ran out of memory`,
        claims: [{ quote: `HIP out of memory on ${CANARIES.host}`, verified: true }],
      },
    });
    const kept = filesBelow(join(sessionDir, 'agents')).map((path) => readFileSync(path, 'utf8'));
    expect(kept.join('\n')).not.toContain('masked-host');
    expect(kept.join('\n')).toContain(CANARIES.fqdn);
  });

  it('stay as they are unless it is asked for', async () => {
    const { provider } = await ask({});
    const sent = provider.requests.map(({ text }) => text).join('\n');
    expect(sent).toContain(CANARIES.host);
    expect(sent).not.toContain('masked-');
  });
});
