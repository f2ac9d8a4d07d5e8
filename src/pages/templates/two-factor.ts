/** Two-factor authentication: the authenticator apps, the other methods of the second step, and the recovery codes. */
import {
  accountIcons,
  badge,
  dotted,
  html,
  icons,
  linkButton,
  panel,
  row,
  when,
  type AccountTemplatePage,
  type AccountTwoFactorView,
  type Html,
} from '../template.js';

export function twoFactor(page: AccountTemplatePage, view: AccountTwoFactorView): Html {
  const { paths, words } = page;
  const { authenticator } = words;
  const setUpPath = `${paths.account}/security/authenticator`;
  if (!view.isOn)
    return panel({
      id: 'two-factor',
      title: authenticator.title,
      lead: authenticator.lead,
      action: linkButton(page, { path: setUpPath, label: authenticator.setUp, about: authenticator.app }),
    });
  return panel({
    id: 'two-factor',
    title: html`${authenticator.title} ${badge(authenticator.on, 'good')}`,
    lead: authenticator.lead,
    action: [
      view.canAddApp && linkButton(page, { path: setUpPath, label: authenticator.addApp }),
      linkButton(page, {
        path: `${setUpPath}/turn-off`,
        label: authenticator.turnOff,
        about: authenticator.title,
      }),
    ],
    rows: [
      ...view.apps.map((app) => appRow(page, app)),
      ...(view.email ? [emailRow(page, view.email)] : []),
      ...(view.passkeys ? [passkeyRow(page, view.passkeys)] : []),
      ...(view.preferred !== null ? [preferredRow(page, view.preferred)] : []),
      recoveryRow(page, view.recoveryCodes),
    ],
  });
}

function appRow(page: AccountTemplatePage, app: AccountTwoFactorView['apps'][number]): Html {
  const { words } = page;
  const { createdAt, lastUsedAt, removePath, renamePath } = app;
  const name = app.name ?? words.authenticator.app;
  return row({
    icon: accountIcons.clock,
    title: html`<bdi>${name}</bdi>`,
    detail: dotted(
      app.name !== null && words.authenticator.app,
      words.added(when(page, createdAt)),
      lastUsedAt ? words.lastUsed(when(page, lastUsedAt)) : words.neverUsed,
    ),
    actions: [
      linkButton(page, { path: renamePath, label: words.rename, about: name }),
      linkButton(page, { path: removePath, label: words.remove, about: name }),
    ],
  });
}

function emailRow(
  page: AccountTemplatePage,
  { address, isOn }: NonNullable<AccountTwoFactorView['email']>,
): Html {
  const { authenticator } = page.words;
  const path = `${page.paths.account}/security/email-codes`;
  return row({
    icon: accountIcons.mail,
    title: html`${authenticator.email} ${isOn && badge(authenticator.on, 'good')}`,
    detail: address === null ? authenticator.emailUnverified : html`<bdi>${address}</bdi>`,
    actions:
      (isOn || address !== null) &&
      linkButton(page, {
        path: isOn ? `${path}/turn-off` : path,
        label: isOn ? authenticator.turnOff : authenticator.turnOn,
        about: authenticator.email,
      }),
  });
}

function passkeyRow(
  page: AccountTemplatePage,
  { isOn }: NonNullable<AccountTwoFactorView['passkeys']>,
): Html {
  const { paths, words } = page;
  return row({
    icon: icons.passkey,
    title: html`${words.passkeys.title} ${isOn && badge(words.authenticator.on, 'good')}`,
    detail: words.authenticator.passkeyLead,
    actions:
      !isOn &&
      linkButton(page, { path: `${paths.account}/security/passkeys/add`, label: words.passkeys.add }),
  });
}

function preferredRow(page: AccountTemplatePage, method: string): Html {
  const { paths, words } = page;
  const { preferred } = words.authenticator;
  return row({
    icon: accountIcons.preferred,
    title: preferred,
    detail: method,
    actions: linkButton(page, {
      path: `${paths.account}/security/preferred`,
      label: words.change,
      about: preferred,
    }),
  });
}

function recoveryRow(
  page: AccountTemplatePage,
  { areFew, left }: AccountTwoFactorView['recoveryCodes'],
): Html {
  const { recovery } = page.words;
  return row({
    icon: accountIcons.recovery,
    title: html`${recovery.title} ${areFew && badge(recovery.left(left), 'warn')}`,
    detail: areFew ? recovery.few : dotted(recovery.left(left), recovery.lead),
    actions: linkButton(page, {
      path: `${page.paths.account}/security/recovery-codes`,
      label: recovery.replace,
      about: recovery.title,
    }),
  });
}
