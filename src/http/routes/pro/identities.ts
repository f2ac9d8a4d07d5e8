/** POST /oauth/:name/link, GET /identities, DELETE /identities/:id. The redirects of /oauth/:name are no JSON: identity-provider.ts. */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { keepTransaction } from '../identity-provider.js';

export function identityEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      // A POST, and its answer read by a script of our own origin: a link of another site must not begin this.
      method: 'post',
      path: '/oauth/:name/link',
      access: 'fresh',
      summary: 'Begins to link your account at a provider: the address to send the browser to',
      body: z.object({ state: z.string().optional() }),
      answer: answers.redirectUrl,
      errors: ['oauth_error'],
      async handle({ req, res, me, body, param }) {
        const provider = service.oauth(param('name'));
        const started = await provider.startLink(me.id, body.state);
        keepTransaction(service, req, res, provider, started);
        return { url: started.url };
      },
    }),
    endpoint({
      method: 'get',
      path: '/identities',
      access: 'session',
      summary: 'The accounts elsewhere that are linked to yours, oldest first',
      answer: answers.identities,
      handle: async ({ me }) => ({ identities: await service.identities.list(me.id) }),
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
