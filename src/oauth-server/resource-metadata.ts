/** The metadata of resources (RFC 9728, 3), for those of this server. */
import type { RequestHandler } from 'express';
import { signatureAlgorithms } from '../crypto/jws.js';
import { sendJson } from '../http/respond.js';
import { metadataPath } from './access-tokens.js';
import { allowOrigins } from './browser-requests.js';
import type { OAuthServerSettings } from './options.js';

/** Not a string: Express would read `(`, `*`, `:` and `?` of an address as a pattern. */
export const metadataPaths = /^\/\.well-known\/oauth-protected-resource(?:\/|$)/;

/** @param handle returns what answers for a resource. Requests for no resource of this server are passed on. */
export function ofResource(
  { issuer, resources }: OAuthServerSettings,
  handle: (resource: string) => RequestHandler,
): RequestHandler {
  const own = [...resources.keys()].filter((resource) => new URL(resource).origin === issuer);
  const handlers = new Map(own.map((resource) => [metadataPath(resource), handle(resource)]));
  return (req, res, next) => {
    if (!URL.canParse(req.originalUrl, issuer)) return next();
    const { pathname, search } = new URL(req.originalUrl, issuer);
    const bare = pathname.replace(/\/$/, '');
    // A parameter that is not of the address of a resource, and a slash at the end, make no difference.
    const found = [pathname + search, bare + search, pathname, bare].find((path) => handlers.has(path));
    return found === undefined ? next() : handlers.get(found)!(req, res, next);
  };
}

export function sendMetadata(settings: OAuthServerSettings, resource: string): RequestHandler {
  const { dpop, issuer, resources } = settings;
  return (_req, res) => {
    allowOrigins(res);
    sendJson(res, {
      resource,
      authorization_servers: [issuer],
      scopes_supported: Object.keys(resources.get(resource)?.scopes ?? {}),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: signatureAlgorithms,
      ...(dpop === 'required' && { dpop_bound_access_tokens_required: true }),
    });
  };
}
