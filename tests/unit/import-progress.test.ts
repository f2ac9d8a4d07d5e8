// The progress bar of `svc-auth import`: at a terminal, and nothing but lines without one.
import { PassThrough, Writable } from 'node:stream';
import { showProgress } from '../../src/cli/import/progress.js';
import type { Terminal } from '../../src/cli/terminal.js';

/** A terminal that keeps what is written to it. */
function terminal(isTTY: boolean) {
  const written: string[] = [];
  const errors: Terminal['errors'] = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  // What a bar asks of a real one.
  Object.assign(errors, { isTTY, columns: 120, cursorTo: () => true, clearLine: () => true });
  return {
    written: () => written.join(''),
    terminal: { input: new PassThrough(), output: new PassThrough(), errors } satisfies Terminal,
  };
}

describe('The progress of an import', () => {
  it('is a bar with the rate and the time that is left, at a terminal', () => {
    const { terminal: person, written } = terminal(true);
    const progress = showProgress(person, 'Importing', 2_000);
    progress.update(1_000);
    progress.end();
    expect(written()).toMatch(/Importing .* 0% \| 0 of 2000 users \| 0\/s \| .* left/);
    expect(written()).toMatch(/Importing .* 50% \| 1000 of 2000 users \| \d+\/s \| .* left/);
  });

  it('has no time that is left if the number of users is not known', () => {
    const { terminal: person, written } = terminal(true);
    const progress = showProgress(person, 'Checking', null);
    progress.update(70);
    progress.end();
    expect(written()).toMatch(/Checking 70 users \| \d+\/s/);
    expect(written()).not.toContain('left');
  });

  it('writes nothing that moves a cursor without a terminal', () => {
    const { terminal: script, written } = terminal(false);
    const progress = showProgress(script, 'Importing', 2_000);
    for (let done = 0; done <= 2_000; done += 500) progress.update(done);
    progress.end();
    expect(written()).toBe('');
  });
});
