/** Argon2 (RFC 9106) of other systems: all three variants, with and without a version. */
import { installationOf, loadArgon2 } from '../../../runtime/load.js';
import { hashMemory } from '../memory-budget.js';
import {
  assertCost,
  ForeignHashError,
  malformed,
  type ForeignCheck,
  type ForeignFormat,
} from './foreign-check.js';

const form =
  /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=(\d{1,12}),t=(\d{1,12}),p=(\d{1,12})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,171}$/;
const mostMemoryKiB = 1024 * 1024;
const mostPasses = 16;

function argon2Check(hash: string): ForeignCheck {
  const parts = form.exec(hash)?.slice(1).map(Number);
  if (!parts) throw malformed('Argon2');
  const [memory = 0, passes = 0, lanes = 0] = parts;
  assertCost('Argon2', 'the number of lanes', lanes, 1, 64);
  assertCost('Argon2', 'the memory in KiB', memory, 8 * lanes, mostMemoryKiB);
  assertCost('Argon2', 'the number of passes', passes, 1, mostPasses);
  const installation = installationOf('@node-rs/argon2');
  if (installation !== undefined)
    throw new ForeignHashError('hash_needs_package', `A hash of Argon2 ${installation}`);
  return {
    scale: 'argon2',
    work: memory * passes,
    matches: (plain) => hashMemory.run(1024 * memory, () => loadArgon2().verify(hash, plain)),
    repeat: (plain) => compute(plain, { memoryCost: memory, timeCost: passes, parallelism: lanes }),
  };
}

/** Does the work of so many passes over a KiB. */
export async function burnArgon2(plain: string, work: number): Promise<void> {
  const memoryCost = Math.max(8, Math.min(19_456, Math.floor(work)));
  const timeCost = Math.max(1, Math.round(work / memoryCost));
  await compute(plain, { memoryCost, timeCost, parallelism: 1 });
}

function compute(
  plain: string,
  cost: { memoryCost: number; timeCost: number; parallelism: number },
): Promise<string> {
  return hashMemory.run(1024 * cost.memoryCost, () => loadArgon2().hash(plain, cost));
}

const argon2: ForeignFormat = {
  name: 'argon2',
  read: (hash) => (hash.startsWith('$argon2') ? argon2Check(hash) : null),
};

const django: ForeignFormat = {
  name: 'django-argon2',
  read: (hash) => (hash.startsWith('argon2$argon2') ? argon2Check(hash.slice('argon2'.length)) : null),
};

export const argon2Formats: readonly ForeignFormat[] = [argon2, django];
