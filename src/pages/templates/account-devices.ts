/** What gives access to the account: the browsers and apps that are signed in, and the browsers that skip the second step. */
import {
  badge,
  dotted,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  when,
  type AccountDevicesView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountDevices(page: AccountTemplatePage, view: AccountDevicesView): Html {
  const { paths, words } = page;
  return panel({
    id: 'devices',
    title: words.devices.title,
    lead: [words.devices.lead, ' ', view.limit !== null && words.devices.limit(view.limit)],
    action:
      view.hasOthers &&
      linkButton(page, {
        path: `${paths.account}/devices/sign-out-others`,
        label: words.devices.signOutOthers,
      }),
    rows: view.devices.map((device) => deviceRow(page, device)),
    body: pageLinks(page, view.pages),
  });
}

function deviceRow(page: AccountTemplatePage, device: AccountDevicesView['devices'][number]): Html {
  const { words } = page;
  const { client, endPath, expiresAt, icon, ip, isCurrent, kind, lastSeenAt, name } = device;
  const isTrust = kind === 'trusted_browser';
  const begun = isTrust ? words.devices.trustedSince : words.devices.signedIn;
  return row({
    icon,
    title: html`<bdi>${name}</bdi> ${isCurrent && badge(words.devices.current, 'good')}
      ${kind === 'app' && badge(words.devices.app)} ${isTrust && badge(words.devices.trusted)}`,
    detail: dotted(
      client !== null && html`<bdi>${client}</bdi>`,
      ip !== null && html`<bdi>${ip}</bdi>`,
      lastSeenAt && words.devices.lastSeen(when(page, lastSeenAt, 'time')),
      lastSeenAt === null && kind === 'app' && words.neverUsed,
    ),
    note: dotted(begun(when(page, device.createdAt)), words.expires(when(page, expiresAt))),
    actions:
      endPath !== null &&
      linkButton(page, {
        path: endPath,
        label: isTrust ? words.devices.untrust : words.devices.signOut,
        about: name,
      }),
  });
}
