/** What gives access to the account: the browsers and apps that are signed in, and the browsers that skip the second step. */
import { deviceKinds, type DeviceKind, type SignedInDevice } from '../../domain/signed-in-device.js';
import { iconOfClient } from './device-names.js';
import { accountIcons } from './icons.js';
import { everyRow, listPages, pageOf } from './list.js';
import { at, defineAccountPage, done, filled, type AccountPage, type AccountVisit } from './page.js';
import { removal } from './removal.js';
import type { AccountDevicesView } from './views.js';

/** Returns the name that the application gave, or that of the client in the language of the page. */
function nameOf(visit: AccountVisit, { name, client }: SignedInDevice): string {
  return name || (client === null ? visit.words.devices.unknown : clientIn(visit, client));
}

/** @param client as `listAllDevices` returns it: `Firefox on Linux`. */
function clientIn({ words }: AccountVisit, client: string): string {
  const [, browser, system] = /^(.+) on (.+)$/.exec(client) ?? [];
  if (browser === undefined || system === undefined) return client;
  return browser === 'Unknown browser' ? system : words.devices.on(browser, system);
}

const devicesPage = defineAccountPage({
  section: 'devices',
  path: '/devices',
  access: 'session',
  forGuests: true,
  isOffered: ({ devices }) => devices !== null,
  async show(visit) {
    const { context, me, offers, templates, words } = visit;
    const list = await offers.devices!.listAllDevices(me.id, pageOf(visit, 'devices'), context);
    const body = templates.accountDevices(visit, {
      devices: list.devices.map((device) => deviceOf(visit, device)),
      limit: offers.maxSessions,
      hasOthers: list.devices.some(({ current }) => !current) || list.nextCursor !== null,
      pages: listPages(visit, 'devices', list.nextCursor),
    });
    return { title: words.sections.devices, body };
  },
});

function deviceOf(visit: AccountVisit, device: SignedInDevice): AccountDevicesView['devices'][number] {
  const { kind, name, client, ip, place, createdAt, lastSeenAt, current, trust, bound } = device;
  const isSignedOut = kind === 'trusted_browser';
  const endsTrustOnly = trust !== null && (isSignedOut || current);
  return {
    kind,
    icon: kind === 'app' ? accountIcons.app : iconOfClient(client ?? ''),
    name: nameOf(visit, device),
    client: name && client !== null ? clientIn(visit, client) : null,
    ip,
    place,
    isCurrent: current && !isSignedOut,
    isBound: bound,
    createdAt,
    lastSeenAt,
    trustedUntil: trust && trust.expiresAt,
    endPath: isSignedOut || current ? null : endPathOf(visit, kind, device.id),
    untrustPath: endsTrustOnly ? endPathOf(visit, 'trusted_browser', trust.id) : null,
  };
}

function endPathOf(visit: AccountVisit, kind: DeviceKind, id: string): string {
  return at(
    visit,
    filled(endPath, (name) => (name === 'kind' ? kind : id)),
  );
}

const signOutOthersPage = removal({
  section: 'devices',
  path: '/devices/sign-out-others',
  access: 'session',
  forGuests: true,
  isOffered: ({ devices }) => devices !== null,
  words: ({ words: { devices } }) => ({
    title: devices.signOutOthers,
    lead: devices.signOutOthersLead,
    submit: devices.signOutOthers,
  }),
  parent: ({ words }) => ({ label: words.sections.devices, path: '/devices' }),
  find: async () => null,
  async remove(visit) {
    await visit.offers.devices!.revokeOthers(visit.me.id, visit.token);
    return done(visit, '/devices', 'othersSignedOut');
  },
});

const endPath = '/devices/:kind/:id/end';

const endPage = removal({
  section: 'devices',
  path: endPath,
  access: 'session',
  forGuests: true,
  isOffered: ({ devices }) => devices !== null,
  words({ param, words: { devices, tokens } }) {
    const { untrust, untrustLead, untrustTitle, signOut, signOutLead, signOutTitle } = devices;
    if (param('kind') === 'trusted_browser')
      return { title: untrustTitle, lead: untrustLead, submit: untrust };
    if (param('kind') === 'app')
      return { title: tokens.revokeAppTitle, lead: tokens.revokeAppLead, submit: signOut };
    return { title: signOutTitle, lead: signOutLead, submit: signOut };
  },
  parent: ({ words }) => ({ label: words.sections.devices, path: '/devices' }),
  async find(visit) {
    const { context, me, offers, param } = visit;
    for (let cursor: string | null = null; ;) {
      const page = await offers.devices!.listAllDevices(me.id, { ...everyRow, cursor }, context);
      const isTrust = param('kind') === 'trusted_browser';
      const device = page.devices.find(({ id, kind, trust }) =>
        isTrust ? trust?.id === param('id') : id === param('id') && kind === param('kind'),
      );
      if (device) return nameOf(visit, device);
      if (page.nextCursor === null) return undefined;
      cursor = page.nextCursor;
    }
  },
  async remove(visit) {
    const { me, offers, param } = visit;
    const kind = deviceKinds.find((each) => each === param('kind'));
    if (kind) await offers.devices!.revokeAnyDevice(me.id, { kind, id: param('id') });
    const messages = {
      browser: 'deviceSignedOut',
      app: 'appRevoked',
      trusted_browser: 'untrusted',
    } as const;
    return done(visit, '/devices', kind && messages[kind]);
  },
});

export const devicePages: readonly AccountPage[] = [devicesPage, signOutOthersPage, endPage];
