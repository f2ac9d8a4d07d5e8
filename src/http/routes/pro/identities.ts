/**
 * The caller's accounts at identity providers. Linking starts here with a JSON response and ends at
 * the callback of a sign-in: see ../identity-provider.ts.
 */
import * as z from 'zod';
import type { GoogleProvider } from '../../../providers/oauth/google.js';
import type { OAuthProvider } from '../../../providers/oauth/oauth.js';
import { endpoint, type JsonEndpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { keepTransaction } from '../../transaction-cookie.js';

type LinkingProvider = Pick<GoogleProvider | OAuthProvider, 'redirectUri' | 'startLink'>;

const requires = ({ service }: Target) => service.identities;

export const linkGoogle = linkEndpoint(({ service }) => service.google);
export const linkOAuth = linkEndpoint(({ service, param }) => service.oauth(param('name')));

// A POST whose response only a script of our origin can read: a link on another site must not start
// it.
function linkEndpoint(providerOf: (target: Target) => LinkingProvider): JsonEndpoint {
  return endpoint({
    access: 'recent',
    requires: (target) => [requires(target), providerOf(target)],
    summary: 'Starts to link your account at an identity provider. Returns the URL to send the browser to',
    body: () => z.object({ state: z.string().optional() }),
    response: responses.redirectUrl,
    errors: ['oauth_error'],
    async handle({ service, req, res, me, body, context, param }) {
      const provider = providerOf({ service, param });
      const started = await provider.startLink(me.id, body.state, context);
      keepTransaction(service, req, res, provider, started);
      return { url: started.url };
    },
  });
}

export const listIdentities = endpoint({
  access: 'session',
  summary: 'Lists your linked accounts at identity providers, oldest first',
  response: responses.identities,
  requires,
  handle: async ({ service, me, context }) => ({
    identities: await service.identities.list(me.id, context),
  }),
});

export const unlinkIdentity = endpoint({
  access: 'recent',
  summary:
    'Unlinks one of your accounts. Ignores an unknown account, and refuses to remove your last sign-in method',
  response: responses.ok,
  requires,
  async handle({ service, me, param, context }) {
    await service.identities.unlink(me.id, param('id'), context);
    return { ok: true };
  },
});
