/** The devices on which the user is signed in. */
import type { DeviceInfo } from '../../domain/session.js';
import { html } from '../../html/html.js';
import { readUserAgent } from '../../domain/device-name.js';
import { deviceIcon, phoneIcon } from './icons.js';
import { everyRow, pageLinks, pageOf } from './list.js';
import { at, done, pathOf, type AccountPage, type AccountVisit } from './page.js';
import { badge, dotted, linkButton, panel, row, when } from './parts.js';
import { removal } from './removal.js';

/** Returns the name that the application gave, or one such as `Firefox on Linux`. */
export function deviceName({ words }: AccountVisit, { name, userAgent = '' }: DeviceInfo): string {
  if (name) return name;
  const { client, system } = readUserAgent(userAgent);
  if (client !== undefined && system !== undefined) return words.devices.on(client, system);
  return client ?? system ?? words.devices.unknown;
}

/** Returns the icon of a phone or of a computer. */
export function iconOfDevice({ userAgent = '' }: DeviceInfo) {
  return /Android|iPhone|Mobile/.test(userAgent) ? phoneIcon : deviceIcon;
}

const devicesPage: AccountPage = {
  section: 'devices',
  path: '/devices',
  access: 'session',
  forGuests: true,
  isOffered: ({ devices }) => devices !== null,
  async show(visit) {
    const { context, me, offers, token, words } = visit;
    const list = await offers.devices!.listDevices(me.id, token, pageOf(visit, 'devices'), context);
    const rows = list.devices.map(({ id, device, createdAt, lastSeenAt, current }) => {
      const name = deviceName(visit, device);
      return row({
        icon: iconOfDevice(device),
        title: html`<bdi>${name}</bdi> ${current && badge(words.devices.current, 'good')}`,
        detail: dotted(
          device.ip !== undefined && html`<bdi>${device.ip}</bdi>`,
          words.devices.signedIn(when(visit, createdAt)),
          words.devices.lastSeen(when(visit, lastSeenAt, 'time')),
        ),
        actions:
          !current &&
          linkButton(visit, {
            path: at(visit, pathOf('/devices/:id/sign-out', id)),
            label: words.devices.signOut,
            about: name,
          }),
      });
    });
    const others = list.devices.some(({ current }) => !current) || list.nextCursor !== null;
    const body = panel({
      id: 'devices',
      title: words.devices.title,
      lead: words.devices.lead,
      action:
        (others || offers.apps !== null) &&
        linkButton(visit, {
          path: at(visit, '/devices/sign-out-others'),
          label: words.devices.signOutOthers,
        }),
      rows,
      body: pageLinks(visit, 'devices', list.nextCursor),
    });
    return { title: words.sections.devices, body };
  },
};

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

const signOutDevicePage = removal({
  section: 'devices',
  path: '/devices/:id/sign-out',
  access: 'session',
  forGuests: true,
  isOffered: ({ devices }) => devices !== null,
  words: ({ words: { devices } }) => ({
    title: devices.signOutTitle,
    lead: devices.signOutLead,
    submit: devices.signOut,
  }),
  parent: ({ words }) => ({ label: words.sections.devices, path: '/devices' }),
  async find(visit) {
    const { context, me, offers, param, token } = visit;
    const { devices } = await offers.devices!.listDevices(me.id, token, everyRow, context);
    const session = devices.find(({ id }) => id === param('id'));
    return session && deviceName(visit, session.device);
  },
  async remove(visit) {
    const { actor, offers, param } = visit;
    await offers.devices!.revokeDevice(param('id'), actor);
    return done(visit, '/devices', 'deviceSignedOut');
  },
});

export const devicePages: readonly AccountPage[] = [devicesPage, signOutOthersPage, signOutDevicePage];
