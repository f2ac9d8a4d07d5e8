// Fair turns between clients: a flood delays itself and not other clients, and the number of
// waiting requests is bounded.
import {
  FairQueue,
  queueClientOf,
  QueueFullError,
  type QueueClient,
} from '../../src/core/queues/fair-queue.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function inQueue<T>(
  queue: FairQueue,
  client: QueueClient,
  work: (turn: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const place = queue.enter(client);
  try {
    return await work(() => place.turn());
  } finally {
    place.leave();
  }
}

/** Requests that end when the test ends them. */
function requestsOf(queue: FairQueue) {
  const started: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  /** @param prepared resolves when the request asks for its turn. */
  const request = (client: string, name = client, prepared: Promise<void> = Promise.resolve()) =>
    inQueue(queue, queueClientOf(client), async (turn) => {
      await prepared;
      await turn();
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    }).catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error;
      refused.push(name);
      return 'refused';
    });
  /** Ends the request that has been working the longest. */
  const endOne = async () => {
    ends.shift()?.();
    await settle();
  };
  const endAll = async () => {
    while (ends.length > 0) await endOne();
  };
  return { started, refused, request, endOne, endAll };
}

it('the queue runs as many requests at the same time as its width, and the others in order of arrival', async () => {
  const { started, request, endOne, endAll } = requestsOf(new FairQueue({ width: 2, maxWaiting: 3 }));
  for (const name of ['a', 'b', 'c', 'd']) void request('client', name);
  await settle();
  expect(started).toEqual(['a', 'b']);
  await endOne();
  expect(started).toEqual(['a', 'b', 'c']);
  await endAll();
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

it('a client without an earlier turn gets the next turn before 50 waiting requests of another client', async () => {
  const { started, request, endOne, endAll } = requestsOf(new FairQueue({ width: 2, maxWaiting: 62 }));
  for (let i = 0; i < 52; i += 1) void request('flood');
  await settle();
  void request('visitor');
  await endOne();
  expect(started).toEqual(['flood', 'flood', 'visitor']);
  await endAll();
});

it.each([0, 20])(
  'a client with %d earlier turns gets the next turn before a flood of a hundred clients',
  async (turns) => {
    const queue = new FairQueue({ width: 4, maxWaiting: 60 });
    const { started, request, endOne, endAll } = requestsOf(queue);
    for (let i = 0; i < turns; i += 1) void request('visitor');
    await settle();
    await endAll();
    const flood = (n: number) => void request(`flood ${n % 100}`);
    let sent = 0;
    for (; sent < 60; sent += 1) flood(sent);
    await settle();
    for (; sent < 500; sent += 1) {
      await endOne();
      flood(sent);
    }
    void request('visitor');
    await settle();
    const before = started.length;
    await endOne();
    expect(started.slice(before)).toEqual(['visitor']);
    await endAll();
  },
);

it('every client gets a turn in each round, even after several recent turns', async () => {
  const { started, request, endOne, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 20 }));
  for (let i = 0; i < 5; i += 1) void request('busy');
  await settle();
  await endAll();
  for (const client of ['a', 'b', 'busy', 'busy', 'c']) void request(client);
  await settle();
  for (let i = 0; i < 4; i += 1) await endOne();
  expect(started.slice(5)).toEqual(['a', 'b', 'c', 'busy', 'busy']);
  await endAll();
});

it('clients that wait at the same time take turns', async () => {
  const { started, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 20 }));
  for (const client of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void request(client);
  await settle();
  await endAll();
  expect(started.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
  expect(started.slice(3, 5).sort()).toEqual(['a', 'b']);
});

it('networks take turns, regardless of the number of addresses in each', async () => {
  const { started, request, endOne, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 60 }));
  void request('192.0.2.1', 'visitor, before');
  await settle();
  for (let i = 0; i < 40; i += 1) void request(`2001:db8:0:${i.toString(16)}::/64`, 'flood');
  await settle();
  await endOne();
  void request('192.0.2.1', 'visitor');
  await endOne();
  expect(started).toEqual(['visitor, before', 'flood', 'visitor']);
  await endAll();
});

it('the clients of one network take turns, and each IPv4 address is a network', async () => {
  for (const clientOf of [(n: number) => `2001:db8:0:${n}::/64`, (n: number) => `192.0.2.${n}`]) {
    const { started, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 20 }));
    for (const n of [1, 1, 1, 2, 2, 3]) void request(clientOf(n));
    await settle();
    await endAll();
    expect(started.slice(0, 3).sort()).toEqual([1, 2, 3].map(clientOf));
  }
});

it('known devices take turns separately from unknown clients at the same address', async () => {
  const queue = new FairQueue({ width: 1, maxWaiting: 3 });
  const { request, endAll } = requestsOf(queue);
  for (let i = 0; i < 4; i += 1) void request('192.0.2.1', 'flood');
  await settle();
  const visit = inQueue(queue, queueClientOf('192.0.2.1', true), (turn) => turn().then(() => 'visitor'));
  await settle();
  await endAll();
  expect(await visit).toBe('visitor');
});

it('a request that leaves the queue while it waits frees no other place', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const queue = new FairQueue({ width: 1, maxWaiting: 3, timeoutMs: 1_000 });
    const { refused, request, endAll } = requestsOf(queue);
    void request('a');
    await settle();
    const impatient = inQueue(queue, queueClientOf('b'), async (turn) => {
      turn().catch(() => undefined);
    });
    await impatient;
    jest.advanceTimersByTime(500);
    const other = request('b');
    await settle();
    jest.advanceTimersByTime(600);
    expect(refused).toEqual([]);
    await endAll();
    expect(await other).toBe('b');
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

describe('a full queue', () => {
  it('a full queue refuses a request of the network with the most requests, even if each of its clients has one', async () => {
    const { refused, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 4 }));
    for (let i = 0; i < 5; i += 1) void request(`2001:db8:0:${i}::/64`, `flood ${i}`);
    await settle();
    const visit = request('192.0.2.1', 'visitor');
    await settle();
    expect(refused).toEqual(['flood 4']);
    await endAll();
    expect(await visit).toBe('visitor');
  });

  it('a full queue refuses the client that fills it, without starting its work', async () => {
    const queue = new FairQueue({ width: 1, maxWaiting: 4 });
    const { refused, request, endAll } = requestsOf(queue);
    for (let i = 0; i < 5; i += 1) void request('flood');
    await settle();
    const work = jest.fn(async () => undefined);
    await expect(inQueue(queue, queueClientOf('flood'), work)).rejects.toThrow(QueueFullError);
    expect(work).not.toHaveBeenCalled();
    expect(refused).toEqual([]);
    await endAll();
  });

  it('a full queue refuses the newest request of the client with the most requests to admit a client with none', async () => {
    const { started, refused, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 4 }));
    for (let i = 0; i < 5; i += 1) void request('flood', `flood ${i}`);
    await settle();
    const visit = request('visitor');
    await settle();
    expect(refused).toEqual(['flood 4']);
    await endAll();
    expect(await visit).toBe('visitor');
    expect(started).toEqual(['flood 0', 'visitor', 'flood 1', 'flood 2', 'flood 3']);
  });

  it('a full queue can refuse a request that is still being prepared', async () => {
    const { refused, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 2 }));
    let prepare = () => undefined as void;
    const prepared = new Promise<void>((resolve) => (prepare = resolve));
    for (const name of ['first', 'second']) void request('flood', name);
    const late = request('flood', 'late', prepared);
    await settle();
    void request('visitor');
    prepare();
    expect(await late).toBe('refused');
    expect(refused).toEqual(['late']);
    await endAll();
  });

  it('a full queue keeps the requests of clients that have no more than the new one', async () => {
    const { refused, request, endAll } = requestsOf(new FairQueue({ width: 1, maxWaiting: 3 }));
    for (const client of ['a', 'b', 'c', 'd']) void request(client);
    await settle();
    expect(await request('e')).toBe('refused');
    expect(refused).toEqual(['e']);
    await endAll();
  });
});

it('a request that fails before or during its turn frees its place for the next request', async () => {
  const queue = new FairQueue({ width: 1, maxWaiting: 1 });
  const fail = () => Promise.reject(new Error('no'));
  for (let i = 0; i < 5; i += 1) {
    await expect(inQueue(queue, queueClientOf('client'), fail)).rejects.toThrow('no');
    await expect(inQueue(queue, queueClientOf('client'), (turn) => turn().then(fail))).rejects.toThrow('no');
  }
  expect(await inQueue(queue, queueClientOf('client'), async (turn) => turn().then(() => 'done'))).toBe(
    'done',
  );
});

it('a request whose turn does not come in time is refused, and leaves no timer', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const queue = new FairQueue({ width: 1, maxWaiting: 2, timeoutMs: 1_000 });
    const { refused, started, request, endAll } = requestsOf(queue);
    void request('a');
    await settle();
    const waiting = request('b');
    await settle();
    jest.advanceTimersByTime(1_000);
    expect(await waiting).toBe('refused');
    expect(refused).toEqual(['b']);
    const next = request('c');
    await endAll();
    expect(await next).toBe('c');
    expect(started).toEqual(['a', 'c']);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

it('clear() refuses waiting requests and does not affect working ones', async () => {
  const queue = new FairQueue({ width: 1, maxWaiting: 5 });
  const { refused, started, request, endAll } = requestsOf(queue);
  const all = ['a', 'b', 'a'].map((client, i) => request(client, `${client}${i}`));
  await settle();
  queue.clear();
  await settle();
  expect(refused.sort()).toEqual(['a2', 'b1']);
  await endAll();
  expect(await Promise.all(all)).toEqual(['a0', 'refused', 'refused']);
  expect(started).toEqual(['a0']);
});
