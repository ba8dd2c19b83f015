import { cpus, hostname, release, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readHostFacts } from '../../../src/sources/host/host-facts.js';

describe('facts about the host', () => {
  it('say what the operating system says', async () => {
    expect(await readHostFacts(20_000)).toEqual({
      hostname: hostname(),
      platform: process.platform,
      distribution: expect.stringMatching(/\w/),
      kernel: release(),
      arch: process.arch,
      cpu_model: expect.any(String),
      cpu_cores: cpus().length,
      total_mb: Math.round(totalmem() / 2 ** 20),
      virtualization: expect.any(String),
    });
  });

  it('are unknown when they come too late, and nobody waits', async () => {
    const started = performance.now();
    expect(await readHostFacts(0)).toMatchObject({ cpu_cores: null, platform: process.platform });
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
