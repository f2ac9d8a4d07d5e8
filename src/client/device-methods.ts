/** The devices, connected apps, phone numbers and refresh tokens of the signed-in user as methods. */
import type { TokenPair } from '../domain/refresh-family.js';
import type { DeviceKind } from '../domain/signed-in-device.js';
import type * as Responses from './responses.js';
import { withQuery, type PageInput } from './query.js';
import { at, type Send } from './transport.js';

export function deviceMethods(send: Send) {
  return {
    devices: {
      list: (page?: PageInput) => send<Responses.Devices>('GET', withQuery('/devices', page)),
      revoke: (id: string) => send<Responses.Ok>('DELETE', at`/devices/${id}`),
      /** Browsers, apps with refresh tokens, and trusted browsers. */
      listAll: (page?: PageInput) => send<Responses.AllDevices>('GET', withQuery('/devices/all', page)),
      revokeAny: (kind: DeviceKind, id: string) => send<Responses.Ok>('DELETE', at`/devices/${kind}/${id}`),
      revokeOthers: () => send<Responses.Ok>('POST', '/devices/revoke-others'),
    },

    /** With the option `audit`. */
    activity: {
      get: (page?: PageInput) => send<Responses.Activity>('GET', withQuery('/activity', page)),
    },

    /** With `svc-auth/oauth-server`. */
    connectedApps: {
      list: () => send<Responses.ConnectedApps>('GET', '/connected-apps'),
      remove: (clientId: string) => send<Responses.Ok>('DELETE', at`/connected-apps/${clientId}`),
    },

    phones: {
      list: () => send<Responses.Phones>('GET', '/phones'),
      send: (input: { phone: string }) => send<Responses.Sent>('POST', '/phone/link/send', input),
      add: (input: { phone: string; code: string }) =>
        send<Responses.WithPhone>('POST', '/phone/link', input),
      remove: (id: string) => send<Responses.Ok>('DELETE', at`/phones/${id}`),
    },

    token: {
      issue: (input: { device?: { name?: string } } = {}) => send<TokenPair>('POST', '/token/issue', input),
      refresh: (input: { refreshToken: string }) => send<TokenPair>('POST', '/token/refresh', input),
      revoke: (input: { refreshToken: string }) => send<Responses.Ok>('POST', '/token/revoke', input),
    },

    tokens: {
      list: (page?: PageInput) => send<Responses.RefreshFamilies>('GET', withQuery('/tokens', page)),
      revoke: (id: string) => send<Responses.Ok>('DELETE', at`/tokens/${id}`),
    },
  };
}
