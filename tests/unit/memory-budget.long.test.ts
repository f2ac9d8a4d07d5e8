// The memory of hashes that are computed at the same time: hostile parameters must not take all of it.
import { argon2idHasher } from 'svc-auth';
import { readForeignHash } from '../../src/core/passwords/foreign/formats.js';
import { hashMemory, MemoryBudget } from '../../src/core/passwords/memory-budget.js';

/** Work that ends when the test says so. */
function work() {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end };
}

const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('A memory budget', () => {
  it('runs as much at the same time as fits, in the order of arrival', async () => {
    const budget = new MemoryBudget(10);
    const started: string[] = [];
    const [a, b, c, d] = [work(), work(), work(), work()];
    const run = (name: string, bytes: number, { done }: { done: Promise<void> }) =>
      budget.run(bytes, async () => {
        started.push(name);
        await done;
      });
    const all = [run('a', 6, a), run('b', 5, b), run('c', 4, c), run('d', 1, d)];
    await settled();
    // c and d would fit, but b would then wait for every small hash that comes.
    expect([started, budget.state]).toEqual([['a'], { used: 6, waiting: 3 }]);
    a.end();
    await settled();
    expect([started, budget.state]).toEqual([['a', 'b', 'c', 'd'], { used: 10, waiting: 0 }]);
    for (const each of [b, c, d]) each.end();
    await Promise.all(all);
    expect(budget.state).toEqual({ used: 0, waiting: 0 });
  });

  it('runs work that needs more than there is alone, and frees the memory of work that fails', async () => {
    const budget = new MemoryBudget(10);
    const [a, b] = [work(), work()];
    const large = budget.run(1_000, () => a.done);
    const small = budget.run(1, () => b.done);
    expect(budget.state).toEqual({ used: 10, waiting: 1 });
    a.end();
    b.end();
    await Promise.all([large, small]);
    const failing = budget.run(1_000, () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(budget.state).toEqual({ used: 0, waiting: 0 });
  });
});

describe('Verifications of expensive hashes at the same time', () => {
  const mebibyte = 1024 * 1024;
  const digest = 'A'.repeat(43);

  it.each([
    ['Argon2', `$argon2d$v=19$m=204800,t=1,p=1$c2FsdHNhbHQ$${digest}`, 200],
    ['Argon2 of Django', `argon2$argon2i$v=19$m=307200,t=1,p=1$c2FsdHNhbHQ$${digest}`, 300],
    ['scrypt', `$scrypt$ln=17,r=16,p=1$c2FsdA$${digest}`, 256],
  ])('of %s take no more memory than the budget', async (_, hash, memory) => {
    const { check } = readForeignHash(hash);
    const all = [...Array(6).keys()].map(() => check.matches('a password'));
    const { used, waiting } = hashMemory.state;
    const atOnce = Math.floor(512 / (memory + 0.01));
    expect(waiting).toBe(6 - atOnce);
    expect(used).toBeGreaterThanOrEqual(atOnce * memory * mebibyte);
    expect(used).toBeLessThanOrEqual(512 * mebibyte);
    expect(await Promise.all(all)).toEqual(Array(6).fill(false));
    expect(hashMemory.state).toEqual({ used: 0, waiting: 0 });
  });

  it('of argon2idHasher take no more memory than the budget', async () => {
    const hasher = argon2idHasher();
    const stored = `$argon2id$v=19$m=204800,t=1,p=1$c2FsdHNhbHQ$${digest}`;
    const all = [...Array(4).keys()].map(() => hasher.verify('a password', stored));
    await settled();
    expect(hashMemory.state.waiting).toBe(2);
    expect(await Promise.all(all)).toEqual(Array(4).fill(false));
  });
});
