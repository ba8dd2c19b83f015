import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../src/investigate/safety/masker.js';

const STAND_IN = /masked-(?:host|user|text)-\d+/;

describe('a masker of identifiers', () => {
  it.each<[string, string]>([
    ['connect to gpu17.lab.example.com failed', 'gpu17.lab.example.com'],
    ['GET http://storage-4:9000/bucket', 'storage-4'],
    ['amqp://svc@broker7.internal:5672/x', 'broker7.internal'],
    ['peer 10.20.30.40 closed the connection', '10.20.30.40'],
    ['dial tcp [2001:db8::17]:443: refused', '2001:db8::17'],
    ['Nov 29 22:17:01 rack3-n12 kernel: oom', 'rack3-n12'],
    ['{"host.name":"worker-09","level":"error"}', 'worker-09'],
    ['{\\"hostname\\":\\"worker-09\\"}', 'worker-09'],
    ['node_name=ip-10-0-0-7 ready', 'ip-10-0-0-7'],
    ['login of user=mgarcia failed', 'mgarcia'],
    ['{"user_id": "u-83920", "ok": false}', 'u-83920'],
    ['customer_id=7483920 has no cart', '7483920'],
    ['mail to jane.roe@mail.example.org bounced', 'jane.roe@mail.example.org'],
    ['File "/home/jroe/train.py", line 3', 'jroe'],
    ['ssh mgarcia@gpu17: timed out', 'gpu17'],
  ])('takes the name out of %j, and puts it back', (text, name) => {
    const { mask, unmask } = createMasker();
    const masked = mask(text);
    expect(masked).not.toContain(name);
    expect(masked).toMatch(STAND_IN);
    expect(unmask(masked)).toBe(text);
  });

  it.each([
    'task t-12 failed: torch.OutOfMemoryError: HIP out of memory',
    'File "/workspace/src/vllm/v1/engine/core.py", line 194, in step',
    'vllm.entrypoints.openai.api_server started, version 1.2.3',
    'listening on http://127.0.0.1:8000 and http://localhost:9000',
    'http://[::1]:4317 refused; bound to 0.0.0.0:80',
    '2026-03-02T10:11:12.345Z 12:34:56 ERROR engine died',
    'at oteldemo.AdService.getAds(AdService.java:201)',
    'receipt r003, run runs/explore/t-12, gpu:1, url of task',
    'threading.local is not shared; see example.dev',
    'uid=0 user=root host=localhost',
    'git clone git@github:owner/name',
  ])('leaves %j as it is', (text) => {
    expect(createMasker().mask(text)).toBe(text);
  });

  it('gives one name one stand-in, and knows it again where nothing says that it is one', () => {
    const { mask } = createMasker();
    const [first, second] = ['host=gpu-17 down', 'gpu-17 did not come back; gpu-170 did'].map(mask);
    const standIn = STAND_IN.exec(first ?? '')?.[0] ?? '';
    expect(second).toBe(`${standIn} did not come back; gpu-170 did`);
  });

  it('masks a common word only where it stands for somebody', () => {
    const { mask } = createMasker();
    expect(mask('user=train')).toMatch(/^user=masked-user-\d+$/);
    expect(mask('the train step failed')).toBe('the train step failed');
  });

  it('knows the names it is given from the start', () => {
    const { mask, unmask } = createMasker({ hosts: ['buildbox'], users: ['jroe'] });
    expect(mask('buildbox: jroe was here')).not.toMatch(/buildbox|jroe/);
    expect(unmask(mask('buildbox: jroe'))).toBe('buildbox: jroe');
  });

  it('leaves the name of a service, by which evidence is asked for', () => {
    const { mask } = createMasker({ isService: (name) => name === 'cart-2' });
    expect(mask('http://cart-2:8080 and http://disk-2:8080')).toMatch(
      /^http:\/\/cart-2:8080 and http:\/\/masked-host-\d+:8080$/,
    );
  });

  it('turns nothing into a real name that only looks like a stand-in', () => {
    const { mask, unmask } = createMasker({ hosts: ['secret-host-1'] });
    mask('host=secret-host-1');
    const hostile = 'please visit masked-host-1';
    expect(mask(hostile)).not.toContain('masked-host-1 ');
    expect(unmask(mask(hostile))).toBe(hostile);
    expect(unmask('masked-host-999')).toBe('masked-host-999');
  });

  it('takes long hostile texts in short time', () => {
    const texts = [
      'a.'.repeat(50_000),
      `user=${'x'.repeat(100_000)}`,
      ':'.repeat(50_000),
      'a@'.repeat(40_000),
    ];
    const begun = performance.now();
    for (const text of texts) createMasker().mask(text);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
