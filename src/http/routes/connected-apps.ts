/** The applications to which the caller has given access, with an OAuth server. */
import { internals, type ConnectedApps } from '../../core/internals.js';
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { endpoint, type Target } from '../endpoint.js';
import { responses } from '../response-schemas.js';

/** @throws ProviderNotConfiguredError without an OAuth server. */
function requires({ service }: Target): ConnectedApps {
  const { apps } = service[internals].consents;
  if (!apps) throw new ProviderNotConfiguredError('oauthServer', 'Call createOAuthServer(service, …).');
  return apps;
}

export const listConnectedApps = endpoint({
  access: 'session',
  summary: 'Lists the apps to which you have given access to your account, the one that got it last first',
  response: responses.connectedApps,
  requires,
  handle: async ({ me, ...target }) => ({ apps: await requires(target).list(me.id) }),
});

export const removeConnectedApp = endpoint({
  access: 'no-impersonation',
  summary: 'Removes the access of an app. Ignores one that has none',
  response: responses.ok,
  requires,
  async handle({ context, me, param, ...target }) {
    await requires({ param, ...target }).remove(me.id, param('clientId'), context);
    return { ok: true };
  },
});
