/**
 * `fetch` for requests to an identity provider: https, or http on loopback, even if a discovery document names another URL; follows no
 * redirect and reads at most 1 MB (ASVS 13.2.5, 15.3.2). An error names the request, without its query.
 */
import type { CustomFetch } from 'openid-client';
import { isSafeUrl, isWebUrl } from '../../core/mail/link-targets.js';
import { withoutQuery } from './failure-report.js';

const maxBytes = 1024 * 1024;

/** @param allowHttp whether plain http is allowed for every host. */
export function cappedFetch(allowHttp: boolean): CustomFetch {
  return async (url, options) => {
    const target = new URL(url);
    if (!(allowHttp ? isWebUrl(target) : isSafeUrl(target)))
      throw ofRequest(url, new Error('The identity provider must be requested over https.'));
    try {
      return await capped(url, await fetch(url, { ...options, redirect: 'manual' }));
    } catch (error) {
      throw ofRequest(url, error);
    }
  };
}

async function capped(url: string, response: Response): Promise<Response> {
  if (!response.body) return response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('The identity provider sent more than 1 MB.');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const hasBody = ![101, 204, 205, 304].includes(status);
  const read = new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers });
  return Object.defineProperty(read, 'url', { value: url });
}

function ofRequest(url: string, cause: unknown): Error {
  const { message = 'The request failed.' } = Object(cause) as { message?: string };
  return Object.assign(new Error(message, { cause }), { request: withoutQuery(url) });
}
