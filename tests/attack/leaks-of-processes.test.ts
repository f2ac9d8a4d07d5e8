// That the scan for leaks sees what a process writes, and what a service tells that cannot even be made.
import { spawn } from 'node:child_process';
import { memoryAdapter } from 'svc-auth';
import { watchedService } from '../support/leak-hooks.js';
import { LeakScan, takeLeaks } from '../support/leak-scan.js';
import { testSecret } from '../support/make-service.js';
import { closed, watchOutput } from '../support/watched-process.js';
import { strangers } from './secret-forms.js';

/** A process that writes these lines to that stream, the last one without an end. */
async function writing(lines: readonly string[], stream: 'stdout' | 'stderr', leaks?: LeakScan) {
  const script = `process.${stream}.write(process.argv[1])`;
  const child = spawn(process.execPath, ['-e', script, lines.join('\n')]);
  const written = watchOutput(child, 'a process', leaks);
  await closed(child);
  expect(written()).toBe(`${lines.join('\n')}\n`);
  return takeLeaks();
}

const idle = [
  'Ready: http://localhost:3000',
  '{"level":"warn","code":"23505","userId":"0190f6a0-0000-7000-8000-000000000001"}',
];

describe.each(['stdout', 'stderr'] as const)('What a process writes to %s', (stream) => {
  it('is scanned for each kind of secret that has a form', async () => {
    const texts = Object.values(strangers);
    const scan = new LeakScan();
    for (const text of texts) scan.look('what a process wrote', text);
    const seen = takeLeaks();
    expect(seen.length).toBeGreaterThanOrEqual(11);
    expect(await writing([...idle, ...texts.map((text) => `made ${text}`)], stream)).toEqual(seen);
  });

  it('is scanned for codes by their name, and for what its parent knows', async () => {
    expect(await writing(['{"code":"271828"}', 'code = 314159'], stream)).toEqual([
      'what a process wrote: a code, by its name',
    ]);
    const leaks = new LeakScan();
    leaks.learnPhrase('a password', 'correct horse battery');
    leaks.learnCode('271828');
    expect(await writing(['272727', '271828', 'with correct horse battery'], stream, leaks)).toEqual([
      'what a process wrote, itself: a code',
      'what a process wrote, itself: a password',
    ]);
  });

  it('may be anything else', async () => {
    expect(await writing(idle, stream)).toEqual([]);
  });
});

describe('A service that is not made by makeService', () => {
  it('is scanned as well, and so is the error of one that cannot be made', () => {
    const adapter = memoryAdapter();
    const { service } = watchedService({ adapter, session: { secret: testSecret } });
    const { token } = service.createSessionToken('0190f6a0-0000-7000-8000-000000000001');
    expect(takeLeaks()).toEqual([]);
    expect(() => watchedService({ adapter, session: { secret: testSecret, [token]: 1 } })).toThrow('session');
    expect(takeLeaks()).toContain('an error of createService, message: a JWT');
  });
});
