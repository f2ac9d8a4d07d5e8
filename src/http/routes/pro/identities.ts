/**
 * POST /google/link and /oauth/:name/link, GET /identities, DELETE /identities/:id. The redirects that a link ends with are those of a
 * sign-in, and no JSON: identity-provider.ts.
 */
import type { GoogleProvider } from '../../../providers/oauth/google.js';
import type { OAuthProvider } from '../../../providers/oauth/oauth.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { keepTransaction } from '../../transaction-cookie.js';

type LinkingProvider = Pick<GoogleProvider | OAuthProvider, 'redirectUri' | 'startLink'>;

export function identityEndpoints(tools: EndpointTools): Endpoint[] {
  const { service, answers } = tools;
  return [
    linkEndpoint(tools, '/google/link', () => service.google),
    linkEndpoint(tools, '/oauth/:name/link', (param) => service.oauth(param('name'))),
    endpoint({
      method: 'get',
      path: '/identities',
      access: 'session',
      summary: 'The accounts elsewhere that are linked to yours, oldest first',
      answer: answers.identities,
      handle: async ({ me, context }) => ({ identities: await service.identities.list(me.id, context) }),
    }),
    endpoint({
      method: 'delete',
      path: '/identities/:id',
      access: 'fresh',
      summary: 'Unlinks one. One that is gone, or is not yours, is no error; your last way to sign in stays',
      answer: answers.ok,
      async handle({ me, param }) {
        await service.identities.unlink(me.id, param('id'));
        return { ok: true };
      },
    }),
  ];
}

function linkEndpoint(
  { service, z, answers }: EndpointTools,
  path: string,
  providerOf: (param: (name: string) => string) => LinkingProvider,
): Endpoint {
  return endpoint({
    // A POST, and its answer read by a script of our own origin: a link of another site must not begin this.
    method: 'post',
    path,
    access: 'fresh',
    needs: (param) => [service.identities, providerOf(param)],
    summary: 'Begins to link your account at a provider: the address to send the browser to',
    body: z.object({ state: z.string().optional() }),
    answer: answers.redirectUrl,
    errors: ['oauth_error'],
    async handle({ req, res, me, body, param }) {
      const provider = providerOf(param);
      const started = await provider.startLink(me.id, body.state);
      keepTransaction(service, req, res, provider, started);
      return { url: started.url };
    },
  });
}
