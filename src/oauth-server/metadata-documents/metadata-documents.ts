/**
 * Clients whose id is the address of their metadata (draft-ietf-oauth-client-id-metadata-document; MCP authorization specification). Copies
 * are in the storage, for all processes. An authorization begins only with a copy that is fresh. Later the last copy counts, so that
 * users stay signed in while the site of a client is down.
 */
import type { DocumentNetwork } from '../../core/internals.js';
import type { Limiter } from '../../core/limits/limiter.js';
import {
  clientKeysLimits,
  documentRenewalLimits,
  metadataDocumentLimits,
} from '../../core/limits/rate-limits.js';
import type { Clock } from '../../core/support/clock.js';
import type { Logger } from '../../core/support/logger.js';
import { withTimeout } from '../../core/support/timeouts.js';
import type { OAuthClient } from '../../domain/oauth-server.js';
import { RateLimitError } from '../../errors/catalog.js';
import type { OAuthServerRepository } from '../../storage/oauth-server-repository.js';
import { DocumentError, metadataOf } from './document-metadata.js';
import { documentUrl } from './document-url.js';
import { FetchError, fetchJson } from './fetch-json.js';
import { freshnessOf, greatestMs } from './freshness.js';

const day = 24 * 60 * 60_000;
/** For how long the last copy serves refreshes if the document cannot be fetched or is wrong. */
const staleMs = 7 * day;
/** How long the function of the application may take. */
const allowTimeoutMs = 5_000;

interface DocumentTools {
  /** Which clients the application accepts. Undefined for all of them. */
  allow: ((url: URL) => boolean | Promise<boolean>) | undefined;
  clock: Clock;
  limiter: Pick<Limiter, 'consume'>;
  logger: Logger;
  network: () => Partial<DocumentNetwork> | undefined;
  refreshTtlMs: number;
  repository: OAuthServerRepository;
  /** @throws the error of RFC 7591, with `error_description`, if the metadata is not that of a client. */
  validate: (metadata: Record<string, unknown>) => Promise<void>;
}

export interface MetadataDocuments {
  /** Fetches the keys of a client, at an address that its document names. @throws FetchError, RateLimitError */
  fetchKeys(address: string): Promise<Response>;
  /**
   * Fetches the document of a client that begins an authorization, unless a copy is fresh. Does nothing for another client id.
   * @throws DocumentError, RateLimitError
   */
  prepare(clientId: string, ip: string | undefined): Promise<void>;
  /** Returns the metadata of a client that has begun an authorization earlier, or null: also if it is not accepted any more. */
  metadataOf(client: OAuthClient): Promise<Record<string, unknown> | null>;
}

/** A function that hangs must not keep the request. */
function answerOf(allow: NonNullable<DocumentTools['allow']>, url: URL): Promise<unknown> {
  return withTimeout((async () => allow(new URL(url)))(), 'metadataDocuments.allow', allowTimeoutMs);
}

export function metadataDocuments(tools: DocumentTools): MetadataDocuments {
  const { allow, clock, limiter, logger, network, refreshTtlMs, repository, validate } = tools;
  /** Requests that are running: only to save others. */
  const running = new Map<string, Promise<OAuthClient>>();

  const isFresh = ({ metadata }: OAuthClient) => Number(metadata['fresh_until']) > clock();
  const ageOf = ({ createdAt }: OAuthClient) => clock() - createdAt.getTime();

  /** Asked at each use, because an administrator may have removed the client. An error of the application lets no one in. */
  async function isAllowed(url: URL): Promise<boolean> {
    try {
      return allow === undefined || (await answerOf(allow, url)) === true;
    } catch (err) {
      logger.error(
        { event: 'oauth_document', clientId: url.href, err },
        'metadataDocuments.allow has failed',
      );
      return false;
    }
  }

  async function fetched(url: URL): Promise<OAuthClient> {
    const { body, headers } = await fetchJson(url, network());
    const metadata = metadataOf(url.href, body);
    await validate({ ...metadata, client_id: url.href });
    const now = clock();
    const client: OAuthClient = {
      id: url.href,
      kind: 'document',
      metadata: { ...metadata, fresh_until: now + freshnessOf(headers) },
      createdAt: new Date(now),
      // Longer than any grant that is refreshed with this copy: its name is shown to the user until then.
      expiresAt: new Date(now + greatestMs + staleMs + refreshTtlMs),
    };
    await repository.storeClient(client);
    return client;
  }

  /** @throws DocumentError */
  async function fetchOnce(url: URL): Promise<OAuthClient> {
    const work = running.get(url.href) ?? fetched(url);
    running.set(url.href, work);
    try {
      return await work;
    } catch (error) {
      throw refusalOf(error, url);
    } finally {
      if (running.get(url.href) === work) running.delete(url.href);
    }
  }

  function refusalOf(error: unknown, { href }: URL): unknown {
    const { error_description: detail } = error as { error_description?: string };
    const isExpected = error instanceof FetchError || error instanceof DocumentError || detail !== undefined;
    if (!isExpected) return error;
    const reason = detail ?? (error as Error).message;
    logger.warn({ event: 'oauth_document', clientId: href, reason }, 'a metadata document was refused');
    // Without what answers at an address, and how: a stranger could search a network with it.
    return new DocumentError(error instanceof FetchError ? 'it could not be fetched' : reason);
  }

  return {
    async fetchKeys(address) {
      const url = documentUrl(address);
      if (!url) throw new FetchError('the address of the keys is not that of a document');
      await limiter.consume(clientKeysLimits(url));
      const { body, headers } = await fetchJson(url, network());
      const { 'cache-control': cacheControl = '' } = headers;
      return new Response(new Uint8Array(body), { headers: { 'cache-control': cacheControl } });
    },
    async prepare(clientId, ip) {
      const url = documentUrl(clientId);
      if (!url) return;
      if (!(await isAllowed(url))) throw refusalOf(new DocumentError('it is not accepted here'), url);
      const known = await repository.findClient(clientId, new Date(clock()));
      if (known && (known.kind !== 'document' || isFresh(known))) return;
      await limiter.consume(metadataDocumentLimits(url, known !== null, ip));
      await fetchOnce(url);
    },
    async metadataOf(client) {
      const url = documentUrl(client.id);
      if (!url || !(await isAllowed(url))) return null;
      if (isFresh(client)) return plain(client);
      try {
        await limiter.consume(documentRenewalLimits(url));
        return plain(await fetchOnce(url));
      } catch (error) {
        if (!(error instanceof RateLimitError || error instanceof DocumentError)) throw error;
        return ageOf(client) < staleMs + greatestMs ? plain(client) : null;
      }
    },
  };
}

function plain({ id, metadata: { fresh_until: _, ...metadata } }: OAuthClient): Record<string, unknown> {
  return { ...metadata, client_id: id };
}
