/** The clients of the OAuth server. */
import * as z from 'zod';
import { uuidV7 } from '../crypto/random.js';
import { parseChangeBy, type ChangeAuthor } from '../core/sessions/change-by.js';
import type { Clock } from '../core/support/clock.js';
import type { Changes } from '../core/support/changes.js';
import { parseInput } from '../core/support/input.js';
import { isName } from '../domain/name.js';
import type { OAuthClient } from '../domain/oauth-server.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { lazily } from '../runtime/load.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { clientChanges, toRegistered } from './client-changes.js';
import { publicKeys } from './client-keys.js';
import { clientGrants, deviceGrant, grantMetadata, withKnownScopes } from './client-grants.js';
import { engineMetadata, newSecret } from './client-secrets.js';
import type { Engine } from './engine.js';
import type { NewOAuthClient, OAuthClients } from './interface.js';
import { isNative, refuseRedirectUris } from './redirect-uris.js';

/** On the page of the consent it is within a sentence that it must not reorder. */
export const clientName = lazily(() =>
  z.string().trim().refine(isName, 'must be 1 to 100 characters on one line, without controls of direction'),
);

const newClient = lazily(
  () =>
    z.object({
      name: clientName(),
      redirectUris: z.array(z.string().max(2_000)).max(20).optional(),
      uri: z.string().max(2_000).optional(),
      confidential: z.boolean().optional(),
      grants: z.array(z.enum(clientGrants)).min(1).optional(),
      scopes: z.array(z.string()).max(200).optional(),
      jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).optional(),
    }) satisfies z.ZodType<NewOAuthClient>,
);

/** What a client may say about itself (RFC 7591, 2). Anything else is ignored, as the RFC demands. */
const registration = lazily(() =>
  z.object({
    redirect_uris: z.array(z.string().max(2_000)).max(20).default([]),
    client_name: clientName().optional(),
    client_uri: z.string().max(2_000).optional(),
    logo_uri: z.string().max(2_000).optional(),
    application_type: z.enum(['web', 'native']).optional(),
    grant_types: z.array(z.string().max(200)).max(20).optional(),
    response_types: z.array(z.string().max(200)).max(20).optional(),
    token_endpoint_auth_method: z.string().max(100).optional(),
  }),
);

/** Every client may use these, if it can. */
export const grantTypes = ['authorization_code', 'refresh_token'];
/** A client that says so itself can have these. */
export const possibleGrantTypes = [...grantTypes, deviceGrant];
const registrationDays = 90;
const day = 24 * 60 * 60_000;

export interface ClientTools {
  clock: Clock;
  changes: Changes;
  knownScopes: ReadonlySet<string>;
  repository: OAuthServerRepository;
  engine: () => Promise<Engine>;
}

/** @throws the engine's error if the metadata is not valid. */
export async function validated(
  tools: Pick<ClientTools, 'engine' | 'knownScopes'>,
  metadata: Record<string, unknown>,
): Promise<void> {
  (await validatorOf(tools))(String(metadata['client_id']), metadata);
}

/** Returns a function that throws the engine's error if metadata is not valid. */
async function validatorOf({ engine, knownScopes }: Pick<ClientTools, 'engine' | 'knownScopes'>) {
  const { Client } = await engine();
  const Constructor = Client as unknown as new (metadata: Record<string, unknown>) => unknown;
  return (id: string, metadata: OAuthClient['metadata']): void => {
    refuseRedirectUris(metadata['redirect_uris'] as readonly string[]);
    new Constructor({ ...withKnownScopes(engineMetadata(metadata), knownScopes), client_id: id });
  };
}

/** The error of the engine in the words of the service. */
function asInvalid(error: unknown): unknown {
  const { error_description: detail } = error as { error_description?: string };
  return detail === undefined ? error : new InvalidRequestError(detail, { cause: error });
}

export function oauthClients(tools: ClientTools): OAuthClients {
  const { clock, repository } = tools;
  const validator = async () => {
    const validate = await validatorOf(tools);
    return (...client: Parameters<typeof validate>) => {
      try {
        validate(...client);
      } catch (error) {
        throw asInvalid(error);
      }
    };
  };
  return {
    ...clientChanges({ ...tools, clientName, isNative, validator }),
    async create(input, by) {
      const { name, redirectUris = [], uri, jwks, ...more } = parseInput(newClient, input);
      const { confidential = jwks !== undefined, ...grantInput } = more;
      if (jwks && !confidential) throw new InvalidRequestError('jwks is for confidential clients.');
      const keys = jwks && publicKeys(jwks);
      const grants = grantMetadata({ ...grantInput, redirectUris }, confidential, tools.knownScopes);
      const author = parseChangeBy(by);
      const secret = confidential && !keys ? newSecret(clock()) : null;
      const metadata = {
        client_name: name,
        redirect_uris: redirectUris,
        ...(uri !== undefined && { client_uri: uri }),
        application_type: isNative(redirectUris) ? 'native' : 'web',
        ...grants,
        token_endpoint_auth_method: keys ? 'private_key_jwt' : secret ? 'client_secret_basic' : 'none',
        ...(keys && { jwks: keys }),
        ...(secret !== null && { client_secrets: [secret.stored] }),
      };
      const client = await insert(tools, 'registered', metadata, null, author).catch((error: unknown) => {
        throw asInvalid(error);
      });
      return { client: toRegistered(client), secret: secret?.value ?? null };
    },
    list: async () => (await repository.listClients(new Date(clock()))).map(toRegistered),
  };
}

async function insert(
  tools: ClientTools,
  kind: OAuthClient['kind'],
  metadata: Record<string, unknown>,
  expiresAt: Date | null,
  author?: ChangeAuthor,
): Promise<OAuthClient> {
  const now = tools.clock();
  const client = { id: uuidV7(now), kind, metadata, createdAt: new Date(now), expiresAt };
  (await validatorOf(tools))(client.id, metadata);
  const clientId = client.id;
  await tools.changes.commit(
    () => tools.repository.insertClient(client, author?.acting),
    () => [
      author
        ? ['oauth_client.created', { clientId, actor: author.actor }]
        : ['oauth_client.registered', { clientId }],
    ],
  );
  return client;
}

/**
 * Registers a client by its own words (RFC 7591, 3.1), for 90 days. Returns what it is answered.
 * @throws the engine's error, with `error` and `error_description`, if it is not valid.
 */
export async function registerDynamically(
  tools: ClientTools,
  body: unknown,
): Promise<Record<string, unknown>> {
  const parsed = registration().safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isUri = issue?.path[0] === 'redirect_uris';
    throw Object.assign(new Error('The metadata is not valid.'), {
      error: isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      error_description: `${issue?.path.join('.') || 'metadata'}: ${issue?.message}`,
    });
  }
  const { redirect_uris: redirectUris, grant_types: asked = grantTypes } = parsed.data;
  const usesCodes = asked.includes('authorization_code');
  if (usesCodes && redirectUris.length === 0) {
    const detail = 'redirect_uris: must have an address';
    throw Object.assign(new Error(detail), { error: 'invalid_redirect_uri', error_description: detail });
  }
  const method = parsed.data.token_endpoint_auth_method ?? 'none';
  const secret = method === 'none' || method === 'private_key_jwt' ? null : newSecret(tools.clock());
  const metadata = {
    ...parsed.data,
    application_type: parsed.data.application_type ?? (isNative(redirectUris) ? 'native' : 'web'),
    grant_types: asked.filter((type) => possibleGrantTypes.includes(type)),
    response_types: usesCodes ? ['code'] : [],
    token_endpoint_auth_method: method,
  };
  const expiresAt = new Date(tools.clock() + registrationDays * day);
  const stored = { ...metadata, ...(secret !== null && { client_secrets: [secret.stored] }) };
  const client = await insert(tools, 'dynamic', stored, expiresAt);
  return {
    ...metadata,
    client_id: client.id,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    ...(secret !== null && {
      client_secret: secret.value,
      client_secret_expires_at: Math.floor(expiresAt.getTime() / 1000),
    }),
  };
}
