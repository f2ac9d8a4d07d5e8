/** Rounds of a digest, for which Node has no function that runs on a thread: in slices, between which other requests are served. */
import * as crypto from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Some milliseconds at most. */
const sliceMs = 2;

/** Runs `round` for 0, 1, … in slices of two milliseconds. */
export async function inSlices(rounds: number, round: (index: number) => void): Promise<void> {
  let started = performance.now();
  for (let index = 0; index < rounds; index += 1) {
    round(index);
    // Reading the clock costs a tenth of a round.
    if (index % 16 === 15 && performance.now() - started > sliceMs) {
      await setImmediate();
      started = performance.now();
    }
  }
}

/** Of Node 20.12 and later: twice as fast as `createHash` for a few bytes. */
const oneShot = (crypto as { hash?: (name: string, data: Buffer, encoding: 'buffer') => Buffer }).hash;

export function digestOf(name: 'md5' | 'sha256' | 'sha512', data: Buffer): Buffer {
  return oneShot ? oneShot(name, data, 'buffer') : crypto.createHash(name).update(data).digest();
}
