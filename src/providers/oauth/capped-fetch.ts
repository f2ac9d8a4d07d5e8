/**
 * `fetch` for requests to an identity provider: https, or http on loopback or if the provider has `allowHttp`, even if a discovery document
 * names another URL; follows no redirect and reads at most 1 MB (ASVS 13.2.5, 15.3.2).
 */
import type { CustomFetch } from 'openid-client';
import { isSafeUrl, isWebUrl } from '../../core/support/link-targets.js';

const maxBytes = 1024 * 1024;

export function cappedFetch(allowHttp: boolean): CustomFetch {
  return async (url, options) => {
    if (!(allowHttp ? isWebUrl : isSafeUrl)(new URL(url)))
      throw new Error('The identity provider must be requested over https.');
    const response = await fetch(url, { ...options, redirect: 'manual' });
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
    return new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers });
  };
}
