// The leak scan covers the output of processes, and errors of a service that could not be created.
import { spawn } from 'node:child_process';
import { memoryAdapter } from 'svc-auth';
import { watchedService } from '../support/leak-hooks.js';
import { LeakScan, takeLeaks } from '../support/leak-scan.js';
import { testSecret } from '../support/make-service.js';
import { waitForExit, watchOutput } from '../support/watched-process.js';
import { strangers } from './secret-forms.js';

/** Runs a process that writes these lines to a stream, the last one without a line break. */
async function leaksOfWriting(lines: readonly string[], stream: 'stdout' | 'stderr', leaks?: LeakScan) {
  const script = `process.${stream}.write(process.argv[1])`;
  const child = spawn(process.execPath, ['-e', script, lines.join('\n')]);
  const written = watchOutput(child, 'a process', leaks);
  await waitForExit(child);
  expect(written()).toBe(`${lines.join('\n')}\n`);
  return takeLeaks();
}

const idle = [
  'Ready: http://localhost:3000',
  '{"level":"warn","code":"23505","userId":"0190f6a0-0000-7000-8000-000000000001"}',
];

describe.each(['stdout', 'stderr'] as const)('Leak scan of %s', (stream) => {
  it('detects each kind of secret that has a recognizable form in the output of a process', async () => {
    const texts = Object.values(strangers);
    const scan = new LeakScan();
    for (const text of texts) scan.scan('what a process wrote', text);
    const expected = takeLeaks();
    expect(expected.length).toBeGreaterThanOrEqual(11);
    expect(await leaksOfWriting([...idle, ...texts.map((text) => `made ${text}`)], stream)).toEqual(expected);
  });

  it('detects codes by their name, and secrets that the parent process knows, in the output of a process', async () => {
    expect(await leaksOfWriting(['{"code":"271828"}', 'code = 314159'], stream)).toEqual([
      'what a process wrote: a code, by its name',
    ]);
    const leaks = new LeakScan();
    leaks.learnPhrase('a password', 'correct horse battery');
    leaks.learnCode('271828');
    expect(await leaksOfWriting(['272727', '271828', 'with correct horse battery'], stream, leaks)).toEqual([
      'what a process wrote, itself: a code',
      'what a process wrote, itself: a password',
    ]);
  });

  it('reports nothing for other output of a process', async () => {
    expect(await leaksOfWriting(idle, stream)).toEqual([]);
  });
});

describe('Leak scan of a service without makeService', () => {
  it('scans a watched service, and the error if it cannot be created', () => {
    const adapter = memoryAdapter();
    const { service } = watchedService({ adapter, session: { secret: testSecret } });
    const { token } = service.createSessionToken('0190f6a0-0000-7000-8000-000000000001');
    expect(takeLeaks()).toEqual([]);
    expect(() => watchedService({ adapter, session: { secret: testSecret, [token]: 1 } })).toThrow('session');
    expect(takeLeaks()).toContain('an error of createService, message: a JWT');
  });
});
