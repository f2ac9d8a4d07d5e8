/** Changes of clients that the application has registered, each decided on what is stored at that moment. */
import * as z from 'zod';
import { parseChangeBy, type UserChangeBy } from '../core/sessions/change-by.js';
import type { Changes } from '../core/support/changes.js';
import type { EmittedEvent, EventActor } from '../core/support/events.js';
import { parseInput } from '../core/support/input.js';
import type { Clock } from '../core/support/clock.js';
import type { OAuthClient } from '../domain/oauth-server.js';
import type { RegisteredClient } from '../domain/registered-client.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { lazily } from '../runtime/load.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { maxSecrets, newSecret, publicSecrets, storedSecrets, withSecrets } from './client-secrets.js';
import type { ClientMetadata } from './engine.js';
import type { OAuthClients } from './interface.js';

export interface ChangeTools {
  clock: Clock;
  changes: Changes;
  repository: OAuthServerRepository;
  /** Returns a function that checks metadata. @throws InvalidRequestError */
  validator: () => Promise<(id: string, metadata: OAuthClient['metadata']) => void>;
  clientName: () => z.ZodType<string>;
  isNative: (redirectUris: readonly string[]) => boolean;
}

type Metadata = OAuthClient['metadata'];
type Change = (client: OAuthClient) => Metadata;

export function toRegistered({ id, kind, metadata, createdAt, expiresAt }: OAuthClient): RegisteredClient {
  const { client_name: name, client_uri: uri, redirect_uris: redirectUris } = metadata as ClientMetadata;
  return {
    ...{ id, name: name ?? id, redirectUris: redirectUris ?? [], uri: uri ?? null, kind },
    confidential: (metadata['token_endpoint_auth_method'] ?? 'none') !== 'none',
    secrets: publicSecrets(metadata),
    ...{ createdAt, expiresAt },
  };
}

function usesSecret({ token_endpoint_auth_method: method }: Metadata): boolean {
  return typeof method === 'string' && method.startsWith('client_secret_');
}

export function clientChanges(
  tools: ChangeTools,
): Pick<OAuthClients, 'addSecret' | 'get' | 'remove' | 'removeSecret' | 'update'> {
  const { changes, clock, clientName, isNative, repository, validator } = tools;
  const changeInput = lazily(() =>
    z.object({
      name: clientName().optional(),
      redirectUris: z.array(z.string().max(2_000)).min(1).max(20).optional(),
      uri: z.string().max(2_000).nullable().optional(),
    }),
  );

  /** Null if there is no such client. @param eventOf returns null if nothing has changed. */
  async function change(
    id: string,
    by: UserChangeBy | undefined,
    decide: Change,
    eventOf: (clientId: string, actor: EventActor) => EmittedEvent | null,
  ) {
    const { actor, acting } = parseChangeBy(by);
    const checked: Change = (client) => {
      if (client.kind !== 'registered')
        throw new InvalidRequestError('The client has registered itself: it can only be removed.');
      return decide(client);
    };
    const client = await changes.commit(
      () => repository.updateClient(String(id), new Date(clock()), checked, acting),
      (changed) => {
        const event = changed && eventOf(changed.id, actor);
        return event ? [event] : [];
      },
    );
    return client && { client: toRegistered(client), actor };
  }

  return {
    async get(id) {
      const client = await repository.findClient(String(id), new Date(clock()));
      return client && toRegistered(client);
    },
    async update(id, input, by) {
      const { name, redirectUris, uri } = parseInput(changeInput, input);
      const validate = await validator();
      const given = Object.entries({ name, redirectUris, uri }).filter(([, value]) => value !== undefined);
      const fields = given.map(([field]) => field);
      const decide: Change = ({ metadata }) => {
        const { client_uri: former, ...others } = metadata as ClientMetadata;
        const page = uri === undefined ? former : uri;
        const next = {
          ...others,
          ...(typeof page === 'string' && { client_uri: page }),
          ...(name !== undefined && { client_name: name }),
          ...(redirectUris && {
            redirect_uris: redirectUris,
            application_type: isNative(redirectUris) ? 'native' : 'web',
          }),
        };
        validate(id, next);
        return next;
      };
      const changed = await change(id, by, decide, (clientId, actor) => [
        'oauth_client.updated',
        { clientId, fields, actor },
      ]);
      return changed?.client ?? null;
    },
    async addSecret(id, by) {
      const { stored, value: secret } = newSecret(clock());
      const decide: Change = ({ metadata }) => {
        if (!usesSecret(metadata))
          throw new InvalidRequestError('The client uses no secret: register a confidential one.', {
            reason: 'secret_unused',
          });
        const secrets = storedSecrets(metadata);
        if (secrets.length >= maxSecrets)
          throw new InvalidRequestError('The client has two secrets. Remove one of them first.', {
            reason: 'secret_limit',
          });
        return withSecrets(metadata, [...secrets, stored]);
      };
      const changed = await change(id, by, decide, (clientId, actor) => [
        'oauth_client.secret_added',
        { clientId, secretId: stored.id, actor },
      ]);
      return changed && { client: changed.client, secret };
    },
    async removeSecret(id, secretId, by) {
      let isKnown = false;
      const decide: Change = ({ metadata }) => {
        const secrets = storedSecrets(metadata);
        const others = secrets.filter((each) => each.id !== secretId);
        // Written for each run: the storage repeats a change that has met another one.
        isKnown = others.length < secrets.length;
        if (isKnown && others.length === 0)
          throw new InvalidRequestError('This is the only secret of the client. Add another one first.', {
            reason: 'secret_last',
          });
        return withSecrets(metadata, others);
      };
      const changed = await change(id, by, decide, (clientId, actor) =>
        isKnown ? ['oauth_client.secret_removed', { clientId, secretId, actor }] : null,
      );
      return changed !== null && isKnown;
    },
    async remove(id, by) {
      const { actor, acting } = parseChangeBy(by);
      return changes.commit(
        () => repository.removeClient(String(id), acting),
        (isRemoved) => (isRemoved ? [['oauth_client.removed', { clientId: id, actor }]] : []),
      );
    },
  };
}
