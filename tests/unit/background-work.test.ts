// Work that an answer does not wait for (docs/security-requirements.md C-35, A-93).
import { BackgroundWork } from '../../src/kit/background-work.js';
import { silentLogger } from '../../src/kit/logger.js';

function background() {
  const errors: [object, string][] = [];
  const logger = {
    ...silentLogger,
    error: (fields: object, message: string) => void errors.push([fields, message]),
  };
  return { errors, work: new BackgroundWork(logger) };
}

describe('Background work', () => {
  it('A-37 starts after the caller has its answer', async () => {
    const { work } = background();
    const order: string[] = [];
    const answer = async () => {
      work.start('test', async () => void order.push('work'));
      order.push('started');
    };
    await answer().then(() => order.push('answered'));
    await work.drain();
    expect(order).toEqual(['started', 'answered', 'work']);
  });

  it('is waited for, with all that it starts itself', async () => {
    const { work } = background();
    const done: number[] = [];
    const chain = (n: number) => {
      work.start('test', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        if (n < 3) chain(n + 1);
        done.push(n);
      });
    };
    chain(1);
    await work.drain();
    expect(done).toEqual([1, 2, 3]);
  });

  it('A-93 that fails is logged, masked, and no unhandled rejection', async () => {
    const { work, errors } = background();
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    try {
      work.start('reset mail', () => Promise.reject(new Error('no such user: ada@example.com')));
      work.start('reset mail', () => {
        throw new Error('at once');
      });
      await work.drain();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
    expect(unhandled).toEqual([]);
    expect(errors.map(([, message]) => message)).toEqual(
      Array(2).fill('reset mail failed in the background'),
    );
    expect(JSON.stringify(errors)).not.toContain('ada@');
  });

  it('is nothing to wait for when there is none', async () => {
    await background().work.drain();
  });
});
