/** GET /devices, DELETE /devices/:id, POST /devices/revoke-others */
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';

export function deviceEndpoints({ service, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/devices',
      access: 'session',
      summary: 'Where you are signed in, newest first',
      answer: answers.devices,
      handle: async ({ me, token }) => ({
        devices: await service.sessionsProvider.listDevices(me.id, token),
      }),
    }),
    endpoint({
      method: 'delete',
      path: '/devices/:id',
      name: 'devices.revoke',
      access: 'session',
      summary: 'Signs one device out. One that is signed out, or is not yours, is no error',
      answer: answers.ok,
      async handle({ me, param }) {
        const { sessionsProvider } = service;
        const own = await sessionsProvider.listDevices(me.id);
        if (own.some(({ id }) => id === param('id'))) await sessionsProvider.revokeDevice(param('id'));
        return { ok: true };
      },
    }),
    endpoint({
      method: 'post',
      path: '/devices/revoke-others',
      access: 'session',
      summary: 'Signs every device out but this one, and ends every refresh family but that of the caller',
      answer: answers.ok,
      async handle({ me, session, token }) {
        const { sessionsProvider } = service;
        const others = (await sessionsProvider.listDevices(me.id, token)).filter(({ current }) => !current);
        for (const { id } of others) await sessionsProvider.revokeDevice(id);
        // An app that keeps a refresh token is signed in as well.
        await service[internals].sessions.revokeOtherFamilies(me.id, session.claims.fid);
        return { ok: true };
      },
    }),
  ];
}
