// Work that a response does not wait for (docs/security-requirements.md C-35, A-93).
import { BackgroundWork } from '../../src/core/queues/background-work.js';
import { silentLogger } from '../../src/core/support/logger.js';
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

describe('background work', () => {
  //
  it('work starts after the caller has its response', async () => {
    const { work } = background();
    const order: string[] = [];
    const respond = async () => {
      work.start('test', async () => void order.push('work'));
      order.push('started');
    };
    await respond().then(() => order.push('answered'));
    await work.drain();
    expect(order).toEqual(['started', 'answered', 'work']);
  });

  it('drain() waits for all work, including work that other work starts', async () => {
    const { work } = background();
    const finished: number[] = [];
    const chain = (n: number) => {
      work.start('test', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        if (n < 3) chain(n + 1);
        finished.push(n);
      });
    };
    chain(1);
    await work.drain();
    expect(finished).toEqual([1, 2, 3]);
  });

  //
  it('failed work is logged without addresses and causes no unhandled rejection', async () => {
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

  it('at most four tasks of a kind run at the same time and a thousand wait; further tasks are dropped', async () => {
    const { work } = background();
    let [running, maxRunning, finished] = [0, 0, 0];
    for (let i = 0; i < 5_000; i += 1) {
      work.start('test', async () => {
        maxRunning = Math.max(maxRunning, (running += 1));
        await nextTurn();
        running -= 1;
        finished += 1;
      });
    }
    await work.drain();
    expect([maxRunning, finished]).toEqual([4, 1_004]);
  });

  it('a task frees its place before it delivers, so that slow deliveries do not delay other lookups', async () => {
    const { work } = background();
    const lookedUp: number[] = [];
    let [delivering, maxDelivering] = [0, 0];
    for (let i = 0; i < 100; i += 1) {
      work.start('test', async () => {
        lookedUp.push(i);
        return async () => {
          maxDelivering = Math.max(maxDelivering, (delivering += 1));
          for (let turns = 0; turns < 100; turns += 1) await nextTurn();
          delivering -= 1;
        };
      });
    }
    for (let turns = 0; turns < 60; turns += 1) await nextTurn();
    expect([lookedUp.length, delivering]).toEqual([100, 64]);
    await work.drain();
    expect([maxDelivering, delivering]).toEqual([64, 0]);
  });

  it('the work of one client neither displaces nor delays the work of another client', async () => {
    const { work } = background();
    const finishedClients: string[] = [];
    const start = (client: string) =>
      work.start(
        'test',
        async () => {
          await nextTurn();
          finishedClients.push(client);
        },
        client,
      );
    for (let i = 0; i < 3_000; i += 1) start('flood');
    start('visitor');
    for (let i = 0; i < 3_000; i += 1) start('flood');
    await work.drain();
    expect(finishedClients).toHaveLength(1_004);
    expect(finishedClients.indexOf('visitor')).toBeGreaterThanOrEqual(0);
    expect(finishedClients.indexOf('visitor')).toBeLessThan(8);
  });

  it('work of one kind does not wait for tasks of another kind that hang', async () => {
    const { work } = background();
    for (let i = 0; i < 10; i += 1) work.start('mail', () => new Promise(() => undefined));
    const finished: string[] = [];
    work.start('last use', async () => void finished.push('last use'));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(finished).toEqual(['last use']);
  });

  it('dropped work is counted in one log line per ten seconds at most', async () => {
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

  it('dropWaiting() drops work that has not started, and drain() does not wait for it', async () => {
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

  it('drain() resolves immediately if there is no work', async () => {
    await background().work.drain();
  });
});
