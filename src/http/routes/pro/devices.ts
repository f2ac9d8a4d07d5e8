/** GET /devices, DELETE /devices/:id, POST /devices/revoke-others */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';

export function deviceEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/devices',
      access: 'session',
      summary: 'Lists where you are signed in, newest first',
      query: pageQuery(z),
      answer: answers.devices,
      errors: ['invalid_request'],
      handle: async ({ req, me, token, context }) =>
        service.sessionsProvider.listDevices(me.id, token, pageOf(req), context),
    }),
    endpoint({
      method: 'delete',
      path: '/devices/:id',
      name: 'devices.revoke',
      access: 'session',
      summary: 'Signs out one of your devices. One that is unknown or signed out already is ignored',
      answer: answers.ok,
      async handle({ me, param }) {
        await service.sessionsProvider.revokeDevice(param('id'), { actingUserId: me.id });
        return { ok: true };
      },
    }),
    endpoint({
      method: 'post',
      path: '/devices/revoke-others',
      access: 'session',
      summary: 'Signs out every other device, and ends every refresh family but that of the caller',
      answer: answers.ok,
      async handle({ me, token }) {
        await service.sessionsProvider.revokeOthers(me.id, token);
        return { ok: true };
      },
    }),
  ];
}
