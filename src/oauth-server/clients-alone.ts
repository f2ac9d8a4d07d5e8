/** The clients of a service, for a process that may have no OAuth server, as the command line. */
import { generateKeyPairSync } from 'node:crypto';
import { internals, type ClientAdministration } from '../core/internals.js';
import { capability } from '../core/support/capability.js';
import type { Service } from '../engine/service.js';
import { oauthClients } from './clients.js';
import { createEngine } from './engine.js';
import { noResource, parseOAuthServerOptions } from './options.js';

/**
 * Returns the clients of the service's OAuth server. Without one, they are in the same storage, and addresses are checked in the same way.
 * @throws AdapterCapabilityError if the adapter does not store clients.
 */
export function clientsOf(service: Service): ClientAdministration {
  const { changes, clock, consents, keys, logger, storage } = service[internals];
  const repository = capability(storage, 'oauthServer');
  const origin = 'http://localhost';
  // Only the application knows its resources.
  const knownScopes = new Set<string>(noResource);
  const engine = () =>
    createEngine(
      parseOAuthServerOptions({ issuer: origin, resources: { [origin]: { scopes: {} } } }),
      [unusedKey()],
      {
        ...{ changes, clock, keys, knownScopes, repository },
        documentOf: () => Promise.resolve(null),
        fetchKeys: () => Promise.reject(new Error('The process serves no requests.')),
        isSelfRegistered: () => Promise.resolve(false),
        countFailure: () => Promise.resolve(null),
        noteRefusal: () => undefined,
        userOf: () => Promise.resolve(null),
        answerSilently: () => Promise.reject(new Error('The process serves no requests.')),
        consentUrl: () => origin,
        deviceUrl: () => origin,
        mayPoll: () => Promise.resolve(false),
        signing: () => Promise.resolve([]),
        renderError: () => Promise.resolve(),
        saveExchanged: (save) => save(),
        onReuse: () => undefined,
        onError: (error) => logger.error({ event: 'oauth_server', err: error }, 'the OAuth server failed'),
      },
    );
  return consents.clients ?? oauthClients({ changes, clock, engine, knownScopes, repository });
}

/** The engine does not start without a key. This one signs nothing, and is not stored. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'unused', alg: 'ES256', use: 'sig' } as const;
}
