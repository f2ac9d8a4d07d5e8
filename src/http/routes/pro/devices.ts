/** The caller's sessions, as a list of devices. */
import type { DeviceKind } from '../../../domain/signed-in-device.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';

const requires = ({ service }: Target) => service.sessionsProvider;

export const listDevices = endpoint({
  access: 'session',
  summary: 'Lists the devices that you are signed in on, newest first',
  query: pageQuery,
  response: responses.devices,
  errors: ['invalid_request'],
  requires,
  handle: async ({ service, req, me, token, context }) =>
    service.sessionsProvider.listDevices(me.id, token, pageOf(req), context),
});

export const listAllDevices = endpoint({
  name: 'devices.listAll',
  access: 'session',
  summary:
    'Lists what gives access to your account: this device first, then the newest. Browsers, each with the trust in it, apps with refresh tokens, and trusted browsers that are signed out',
  query: pageQuery,
  response: responses.allDevices,
  errors: ['invalid_request'],
  requires,
  handle: async ({ service, req, me, context }) =>
    service.sessionsProvider.listAllDevices(me.id, pageOf(req), context),
});

export const revokeAnyDevice = endpoint({
  name: 'devices.revokeAny',
  access: 'session',
  summary: 'Ends a browser, an app or a trusted browser. Ignores one that is unknown or has ended',
  response: responses.ok,
  requires,
  async handle({ service, me, param }) {
    const device = { kind: param('kind') as DeviceKind, id: param('id') };
    await service.sessionsProvider.revokeAnyDevice(me.id, device);
    return { ok: true };
  },
});

export const revokeDevice = endpoint({
  name: 'devices.revoke',
  access: 'session',
  summary: 'Signs out one of your devices. Ignores a device that is unknown or already signed out',
  response: responses.ok,
  requires,
  async handle({ service, me, param }) {
    await service.sessionsProvider.revokeDevice(param('id'), { actingUserId: me.id });
    return { ok: true };
  },
});

export const revokeOtherDevices = endpoint({
  access: 'session',
  summary: "Signs out every other device, and revokes every refresh family except the caller's",
  response: responses.ok,
  requires,
  async handle({ service, me, token }) {
    await service.sessionsProvider.revokeOthers(me.id, token);
    return { ok: true };
  },
});
