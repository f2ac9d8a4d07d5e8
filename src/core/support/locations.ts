/** The place of a client address, as the application names it: for the list of devices, and for notices by mail. */
import { isIP } from 'node:net';
import { describeError, type Logger } from './logger.js';
import { settlesWithin } from './timeouts.js';

/** Returns a place such as `Hamburg, Germany`, or null if it is unknown. */
export type Locate = (ip: string) => string | null | undefined | Promise<string | null | undefined>;

/** A page or a mail waits no longer for a place. */
const timeoutMs = 300;
/** In characters. */
const maxLength = 100;

/** Never rejects. Null without `locate`, for an address that is not an IP address, and if `locate` fails, is too slow or returns no text. */
export type FindPlace = (ip: string | null | undefined) => Promise<string | null>;

export function placesOf(locate: Locate | undefined, logger: Logger): FindPlace {
  if (!locate) return () => Promise.resolve(null);
  return async (ip) => {
    if (typeof ip !== 'string' || isIP(ip) === 0) return null;
    let place: unknown;
    try {
      const search = Promise.resolve(locate(ip)).then((result: unknown) => void (place = result));
      if (!(await settlesWithin(timeoutMs, search)))
        throw new Error(`locate took more than ${timeoutMs} ms.`);
    } catch (error) {
      logger.error({ event: 'locate_failed', err: describeError(error) }, 'locate failed');
    }
    return asLine(place);
  };
}

/** Returns the places of several addresses, each asked for once. */
export async function placesByAddress(
  findPlace: FindPlace,
  addresses: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string | null | undefined, string | null>> {
  const distinct = [...new Set(addresses)];
  return new Map(await Promise.all(distinct.map(async (ip) => [ip, await findPlace(ip)] as const)));
}

/** In one line, because mails have it too. */
function asLine(place: unknown): string | null {
  if (typeof place !== 'string') return null;
  const line = [...place.replace(/[\s\p{Cc}]+/gu, ' ').trim()].slice(0, maxLength).join('');
  return line === '' ? null : line;
}
