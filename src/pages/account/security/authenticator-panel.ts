/** Two-factor authentication: the authenticator apps, the other methods of the second step, and the recovery codes. */
import { html, type Html } from '../../../html/html.js';
import { maxTotpApps } from '../../../domain/totp.js';
import { fewRecoveryCodes } from '../../../domain/second-factor.js';
import type { PublicTotpApp } from '../../../providers/totp/inputs.js';
import { icons } from '../../icons.js';
import { clockIcon, mailIcon, preferredIcon, recoveryIcon } from '../icons.js';
import { at, pathOf, type ShownVisit } from '../page.js';
import { badge, dotted, linkButton, panel, row, when } from '../parts.js';
import { everyRow } from '../list.js';
import { preferableOf, preferredOf, secondStepsOf, type SecondSteps } from './second-steps.js';

export async function authenticatorPanel(visit: ShownVisit): Promise<Html | null> {
  const { context, me, offers, record, words } = visit;
  if (!offers.totp || record.isGuest) return null;
  const { authenticator } = words;
  const id = 'two-factor';
  if (!record.twoFactor)
    return panel({
      id,
      title: authenticator.title,
      lead: authenticator.lead,
      action: linkButton(visit, {
        path: at(visit, '/security/authenticator'),
        label: authenticator.setUp,
        about: authenticator.app,
      }),
    });
  const [apps, { recoveryCodesLeft }, steps] = await Promise.all([
    offers.totp.listApps(me.id, context),
    offers.totp.state(me.id, context),
    secondStepsOf(visit),
  ]);
  const rows = [
    ...apps.map((app) => appRow(visit, app)),
    emailRow(visit, steps),
    await passkeyRow(visit),
    preferredRow(visit, steps),
    recoveryRow(visit, recoveryCodesLeft),
  ].filter((each): each is Html => Boolean(each));
  const actions = [
    apps.length < maxTotpApps &&
      linkButton(visit, { path: at(visit, '/security/authenticator'), label: authenticator.addApp }),
    linkButton(visit, {
      path: at(visit, '/security/authenticator/turn-off'),
      label: authenticator.turnOff,
      about: authenticator.title,
    }),
  ];
  const title = html`${authenticator.title} ${badge(authenticator.on, 'good')}`;
  return panel({ id, title, lead: authenticator.lead, action: actions, rows });
}

function appRow(visit: ShownVisit, { id, name, createdAt, lastUsedAt }: PublicTotpApp): Html {
  const { words } = visit;
  const shown = name ?? words.authenticator.app;
  return row({
    icon: clockIcon,
    title: html`<bdi>${shown}</bdi>`,
    detail: dotted(
      name !== null && words.authenticator.app,
      words.added(when(visit, createdAt)),
      lastUsedAt ? words.lastUsed(when(visit, lastUsedAt)) : words.neverUsed,
    ),
    actions: [
      linkButton(visit, {
        path: at(visit, pathOf('/security/authenticator/:id/rename', id)),
        label: words.rename,
        about: shown,
      }),
      linkButton(visit, {
        path: at(visit, pathOf('/security/authenticator/:id/remove', id)),
        label: words.remove,
        about: shown,
      }),
    ],
  });
}

/** Offers the end also if the application no longer mails codes. */
function emailRow(visit: ShownVisit, { email }: SecondSteps): Html | false {
  const { offers, record, words } = visit;
  const { authenticator } = words;
  if (!offers.secondSteps.email && !email) return false;
  const isVerified = record.email !== null && record.emailVerified;
  const path = email ? '/security/email-codes/turn-off' : '/security/email-codes';
  return row({
    icon: mailIcon,
    title: html`${authenticator.email} ${email && badge(authenticator.on, 'good')}`,
    detail: isVerified ? html`<bdi>${record.email}</bdi>` : authenticator.emailUnverified,
    actions:
      (email || isVerified) &&
      linkButton(visit, {
        path: at(visit, path),
        label: email ? authenticator.turnOff : authenticator.turnOn,
        about: authenticator.email,
      }),
  });
}

/** Every passkey of the user is a second step, if the application allows it. */
async function passkeyRow(visit: ShownVisit): Promise<Html | false> {
  const { context, me, offers, words } = visit;
  if (!offers.secondSteps.passkey || !offers.webauthn) return false;
  const { credentials } = await offers.webauthn.listCredentials(me.id, everyRow, context);
  const hasAny = credentials.length > 0;
  return row({
    icon: icons.passkey,
    title: html`${words.passkeys.title} ${hasAny && badge(words.authenticator.on, 'good')}`,
    detail: words.authenticator.passkeyLead,
    actions:
      !hasAny && linkButton(visit, { path: at(visit, '/security/passkeys/add'), label: words.passkeys.add }),
  });
}

function preferredRow(visit: ShownVisit, steps: SecondSteps): Html | false {
  const { words } = visit;
  const { methods, preferred } = words.authenticator;
  if (preferableOf(steps).length < 2) return false;
  return row({
    icon: preferredIcon,
    title: preferred,
    detail: methods[preferredOf(steps)],
    actions: linkButton(visit, {
      path: at(visit, '/security/preferred'),
      label: words.change,
      about: preferred,
    }),
  });
}

function recoveryRow(visit: ShownVisit, left: number): Html {
  const { recovery } = visit.words;
  const isLow = left <= fewRecoveryCodes;
  return row({
    icon: recoveryIcon,
    title: html`${recovery.title} ${isLow && badge(recovery.left(left), 'warn')}`,
    detail: isLow ? recovery.few : dotted(recovery.left(left), recovery.lead),
    actions: linkButton(visit, {
      path: at(visit, '/security/recovery-codes'),
      label: recovery.replace,
      about: recovery.title,
    }),
  });
}
