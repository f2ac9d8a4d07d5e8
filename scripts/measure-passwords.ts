/**
 * Prints the figures of docs/performance.md about passwords: size, load time, memory, lookups and false positives of the list of common
 * passwords, the same for a filter of digests, and the time of the hashers. `node --expose-gc --import tsx scripts/measure-passwords.ts`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { argon2idHasher, bcryptHasher } from '../src/index.js';
import { buildFilter } from '../src/core/passwords/build-filter.js';
import { filterInFile, packagedFilter, type PasswordFilter } from '../src/core/passwords/password-filter.js';

const megabyte = 1024 * 1024;
const heap = () => {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const randomPassword = () => randomBytes(12).toString('base64url');

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function falsePositives(filter: PasswordFilter, count: number): Promise<number> {
  let found = 0;
  for (let index = 0; index < count; index += 1) if (await filter.contains(randomPassword())) found += 1;
  return found;
}

async function measureList(count: number): Promise<void> {
  const before = heap();
  const filter = packagedFilter();
  const first = await timed(() => filter.contains('password1'));
  const memory = heap() - before;
  let found = 0;
  const all = await timed(async () => void (found = await falsePositives(filter, count)));
  console.log(`list: first lookup ${first.toFixed(1)} ms, then ${((all / count) * 1000).toFixed(0)} µs each`);
  console.log(
    `list: ${(memory / megabyte).toFixed(2)} MB of memory; ${found} of ${count} random passwords found`,
  );
}

async function measureDigests(count: number, lookups: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-measure-'));
  try {
    const [list, file] = [path.join(folder, 'list'), path.join(folder, 'filter')];
    const digests = Array.from({ length: count }, (_, index) =>
      createHash('sha1').update(`password ${index}`).digest('hex').toUpperCase(),
    );
    writeFileSync(list, `${digests.sort().join(':1\n')}:1\n`);
    const seconds = (await timed(() => buildFilter(list, file))) / 1000;
    const { size } = statSync(file);
    console.log(
      `digests: ${count} built in ${seconds.toFixed(1)} s, ${size} bytes, ${((size * 8) / count).toFixed(1)} bits each`,
    );
    const filter = filterInFile(file);
    const before = heap();
    let found = 0;
    const all = await timed(async () => void (found = await falsePositives(filter, lookups)));
    console.log(
      `digests: ${((all / lookups) * 1000).toFixed(0)} µs per lookup, ${found} of ${lookups} found`,
    );
    console.log(`digests: ${((heap() - before) / megabyte).toFixed(2)} MB of memory`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureHashers(): Promise<void> {
  for (const [name, hasher] of [
    ['bcryptHasher()', bcryptHasher()],
    ['argon2idHasher()', argon2idHasher()],
  ] as const) {
    const hash = await hasher.hash('a password');
    const times = [];
    for (let index = 0; index < 20; index += 1)
      times.push(await timed(() => hasher.verify('a password', hash)));
    console.log(`${name}: ${times.sort((a, b) => a - b)[10]?.toFixed(0)} ms per verification`);
  }
}

await measureList(Number(process.env['LOOKUPS'] ?? 5_000_000));
await measureDigests(Number(process.env['DIGESTS'] ?? 5_000_000), 5_000);
await measureHashers();
