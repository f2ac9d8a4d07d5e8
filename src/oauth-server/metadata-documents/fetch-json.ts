/** Fetches a document that a stranger has named: once, from the public internet, and no more than a few kilobytes. */
import { promises as dns, type LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentNetwork } from '../../core/internals.js';
import { isPublicAddress } from './public-address.js';

const maxBytes = 10 * 1024;
/** For everything: the resolver, the connection, and the last byte. */
const timeoutMs = 5_000;
/** For the addresses of one family: a name server that does not know of IPv6 may not answer. */
const nameTimeoutMs = 3_000;

export interface FetchedDocument {
  body: Buffer;
  headers: IncomingHttpHeaders;
}

/** A document cannot be fetched. The message is for the log: a client must not learn what answers inside a network. */
export class FetchError extends Error {}

/**
 * Asks the name servers. The system's own `lookup` would occupy a thread until it gives up, and two names whose servers do not answer keep
 * every other lookup of the process waiting: those of its database, its mails and its identity providers.
 */
async function resolveName(hostname: string): Promise<LookupAddress[]> {
  const families = [
    dns.resolve4(hostname).then((all) => all.map((address) => ({ address, family: 4 }))),
    dns.resolve6(hostname).then((all) => all.map((address) => ({ address, family: 6 }))),
  ];
  const found = families.map((family) =>
    Promise.race([family.catch(() => []), delay(nameTimeoutMs, [], { ref: false })]),
  );
  return (await Promise.all(found)).flat();
}

const publicInternet: DocumentNetwork = {
  resolve: resolveName,
  isAllowed: isPublicAddress,
};

/**
 * Fetches a JSON document over HTTPS. The name is resolved once, every address is checked before a connection is made, and the connection
 * leads to one of these addresses, so that a second answer of the resolver has no effect (DNS rebinding).
 * @param url its host is a name.
 * @throws FetchError for another status than 200, thus also for a redirect; for a special address; after 5 seconds or 10 KB; and for a
 * response that is compressed or not JSON.
 */
export async function fetchJson(
  url: URL,
  network: Partial<DocumentNetwork> = publicInternet,
): Promise<FetchedDocument> {
  const { resolve, isAllowed, ca } = { ...publicInternet, ...network };
  const signal = AbortSignal.timeout(timeoutMs);
  const timedOut = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new FetchError('the time is over')), { once: true });
  });
  const work = async (): Promise<FetchedDocument> => {
    const addresses = await resolve(url.hostname);
    const refused = addresses.find(({ address }) => !isAllowed(address));
    if (refused) throw new FetchError(`the host has the address ${refused.address}`);
    if (addresses.length === 0) throw new FetchError('the host has no address');
    signal.throwIfAborted();
    return readDocument(await respond(url, addresses, ca, signal));
  };
  try {
    // A lookup cannot be aborted.
    return await Promise.race([work(), timedOut]);
  } catch (error) {
    throw error instanceof FetchError ? error : new FetchError((error as Error).message, { cause: error });
  }
}

function respond(
  url: URL,
  addresses: readonly LookupAddress[],
  ca: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      // The global agent of the application could lead through a proxy, or have another idea of certificates.
      agent: false,
      // A variable of the environment can change the default.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      lookup(_hostname, { all }, callback) {
        const { address, family } = addresses[0]!;
        if (all === true) callback(null, [...addresses]);
        else callback(null, address, family);
      },
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end();
  });
}

async function readDocument(response: IncomingMessage): Promise<FetchedDocument> {
  try {
    const { headers, statusCode } = response;
    if (statusCode !== 200) throw new FetchError(`the status is ${statusCode}`);
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) throw new FetchError('the type is not JSON');
    // What a compressed document becomes is not bounded by its size.
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new FetchError('the document is compressed');
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchError('the document is too large');
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes) throw new FetchError('the document is too large');
      parts.push(part);
    }
    return { body: Buffer.concat(parts), headers };
  } finally {
    response.destroy();
  }
}
