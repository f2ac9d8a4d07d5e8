// Work that an answer does not wait for (docs/security-requirements.md C-35, A-93).
import { BackgroundWork } from '../../src/kit/background-work.js';
import { silentLogger } from '../../src/kit/logger.js';
import { testClock } from 'svc-auth/testing';

function background() {
  const errors: [object, string][] = [];
  const warnings: object[] = [];
  const clock = testClock();
  const logger = {
    ...silentLogger,
    error: (fields: object, message: string) => void errors.push([fields, message]),
    warn: (fields: object) => void warnings.push(fields),
  };
  return { errors, warnings, clock, work: new BackgroundWork(logger, clock.now) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

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

  it('runs four tasks of a kind at once and lets a thousand wait, of however many are started', async () => {
    const { work } = background();
    let [running, most, done] = [0, 0, 0];
    for (let i = 0; i < 5_000; i += 1) {
      work.start('test', async () => {
        most = Math.max(most, (running += 1));
        await nextTurn();
        running -= 1;
        done += 1;
      });
    }
    await work.drain();
    expect([most, done]).toEqual([4, 1_004]);
  });

  it('frees its place before it delivers, so that mails to some do not delay the look-ups for others', async () => {
    const { work } = background();
    const looked: number[] = [];
    let [delivering, most] = [0, 0];
    for (let i = 0; i < 100; i += 1) {
      work.start('test', async () => {
        looked.push(i);
        return async () => {
          most = Math.max(most, (delivering += 1));
          for (let turns = 0; turns < 100; turns += 1) await nextTurn();
          delivering -= 1;
        };
      });
    }
    for (let turns = 0; turns < 60; turns += 1) await nextTurn();
    expect([looked.length, delivering]).toEqual([100, 64]);
    await work.drain();
    expect([most, delivering]).toEqual([64, 0]);
  });

  it('of one client does not displace that of another, and does not go first', async () => {
    const { work } = background();
    const done: string[] = [];
    const start = (client: string) =>
      work.start(
        'test',
        async () => {
          await nextTurn();
          done.push(client);
        },
        client,
      );
    for (let i = 0; i < 3_000; i += 1) start('flood');
    start('visitor');
    for (let i = 0; i < 3_000; i += 1) start('flood');
    await work.drain();
    expect(done).toHaveLength(1_004);
    expect(done.indexOf('visitor')).toBeGreaterThanOrEqual(0);
    expect(done.indexOf('visitor')).toBeLessThan(8);
  });

  it('of one kind does not wait for tasks of another kind that hang', async () => {
    const { work } = background();
    for (let i = 0; i < 10; i += 1) work.start('mail', () => new Promise(() => undefined));
    const done: string[] = [];
    work.start('last use', async () => void done.push('last use'));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(done).toEqual(['last use']);
  });

  it('that is dropped is counted in a log line every ten seconds at most', async () => {
    const { work, warnings, clock } = background();
    const flood = async (count: number) => {
      for (let i = 0; i < count; i += 1) work.start('reset mail', () => new Promise(() => undefined));
      await nextTurn();
    };
    const line = { event: 'background_work_dropped', work: 'reset mail' };
    await flood(1_104);
    expect(warnings).toEqual([{ ...line, dropped: 1 }]);
    clock.advance(9_999);
    await flood(50);
    expect(warnings).toHaveLength(1);
    clock.advance(1);
    await flood(1);
    expect(warnings).toEqual([
      { ...line, dropped: 1 },
      { ...line, dropped: 150 },
    ]);
  });

  it('that has not begun is dropped on request, and drain() does not wait for it', async () => {
    const { work } = background();
    const ends: (() => void)[] = [];
    for (let i = 0; i < 10; i += 1)
      work.start('test', () => new Promise<void>((resolve) => ends.push(resolve)));
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(work.labels).toEqual(['test']);
    work.dropWaiting();
    for (const end of ends) end();
    await work.drain();
    expect(ends).toHaveLength(4);
  });

  it('is nothing to wait for when there is none', async () => {
    await background().work.drain();
  });
});
