/** What gives access to the account: the browsers and apps that are signed in, and the browsers that skip the second step. */
import {
  ago,
  badge,
  day,
  dotted,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  sentences,
  type AccountDevicesView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountDevices(page: AccountTemplatePage, view: AccountDevicesView): Html {
  const { paths, words } = page;
  return panel({
    id: 'devices',
    title: words.devices.title,
    lead: sentences(page, words.devices.lead, view.limit !== null && words.devices.limit(view.limit)),
    action:
      view.hasOthers &&
      linkButton(page, {
        path: `${paths.account}/devices/sign-out-others`,
        label: words.devices.signOutOthers,
      }),
    empty: words.devices.none,
    rows: view.devices.map((device) => deviceRow(page, device)),
    body: pageLinks(page, view.pages),
  });
}

function deviceRow(page: AccountTemplatePage, device: AccountDevicesView['devices'][number]): Html {
  const { words } = page;
  const { devices } = words;
  const {
    client,
    endPath,
    icon,
    ip,
    isBound,
    isCurrent,
    kind,
    lastSeenAt,
    name,
    place,
    trustedUntil,
    untrustPath,
  } = device;
  const seen = lastSeenAt && devices.lastSeen(ago(page, lastSeenAt));
  return row({
    icon,
    title: html`<bdi>${name}</bdi> ${isCurrent && badge(devices.current, 'good')}
      ${isBound && badge(devices.bound, 'good')} ${kind === 'app' && badge(devices.app)}
      ${trustedUntil && badge(devices.trustedUntil(day(page, trustedUntil)))}`,
    detail: dotted(
      client !== null && html`<bdi>${client}</bdi>`,
      place !== null && html`<bdi>${place}</bdi>`,
      ip !== null && html`<bdi>${ip}</bdi>`,
    ),
    note:
      kind === 'trusted_browser'
        ? devices.idle
        : dotted(
            isCurrent ? devices.activeNow : seen,
            devices.signedIn(ago(page, device.createdAt)),
            seen === null && !isCurrent && words.neverUsed,
          ),
    actions: [
      untrustPath !== null && linkButton(page, { path: untrustPath, label: devices.untrust, about: name }),
      endPath !== null && linkButton(page, { path: endPath, label: devices.signOut, about: name }),
    ],
  });
}
