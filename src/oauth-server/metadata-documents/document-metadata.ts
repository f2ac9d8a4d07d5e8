/** What a metadata document says of its client (draft-ietf-oauth-client-id-metadata-document, 4). */
import * as z from 'zod';
import { lazily } from '../../runtime/load.js';
import { clientName, grantTypes, possibleGrantTypes } from '../clients.js';
import { isNative } from '../redirect-uris.js';

/** The document is not one of a client. The message is for its developer. */
export class DocumentError extends Error {}

/** Anything else is ignored. The shared secrets that the draft forbids are looked for before. */
const document = lazily(() =>
  z.object({
    client_id: z.string(),
    client_name: clientName().optional(),
    client_uri: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .optional(),
    redirect_uris: z.array(z.string().max(2_000)).min(1).max(20),
    grant_types: z.array(z.string().max(200)).max(20).default(grantTypes),
    response_types: z.array(z.string().max(200)).max(20).optional(),
    token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']).default('none'),
    jwks: z.record(z.string(), z.unknown()).optional(),
    jwks_uri: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .optional(),
  }),
);

/**
 * Returns the metadata of a document, in the form of RFC 7591.
 * @throws DocumentError if it is malformed, of another client, or contains a shared secret, which would be public.
 */
export function metadataOf(clientId: string, body: Buffer): Record<string, unknown> {
  const content = parsed(body);
  const secret = ['client_secret', 'client_secret_expires_at'].find((name) => Object.hasOwn(content, name));
  if (secret !== undefined) throw new DocumentError(`${secret} must not be in a document`);
  if (content['client_id'] !== clientId)
    throw new DocumentError('client_id must be the address of the document');
  const result = document().safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new DocumentError(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const {
    client_id: _,
    client_uri: uri,
    grant_types: asked,
    redirect_uris: redirectUris,
    ...rest
  } = result.data;
  if (rest.response_types && !rest.response_types.includes('code'))
    throw new DocumentError('response_types must contain code');
  return {
    ...rest,
    // The page of a client is one of its own site.
    ...(uri !== undefined && new URL(uri).origin === new URL(clientId).origin && { client_uri: uri }),
    redirect_uris: redirectUris,
    // Only programs on a device have loopback addresses and schemes, whatever the document calls itself.
    application_type: isNative(redirectUris) ? 'native' : 'web',
    grant_types: asked.filter((type) => possibleGrantTypes.includes(type)),
    response_types: ['code'],
  };
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>;
  } catch {
    // The same message, without the content.
  }
  throw new DocumentError('the document must be a JSON object');
}
