/** Sign-in and security: the methods of the account, each in its own panel. */
import {
  badge,
  buttonForm,
  dotted,
  html,
  icons,
  linkButton,
  panel,
  row,
  when,
  type AccountPasskeyView,
  type AccountSecurityView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';
import { twoFactor } from './two-factor.js';

export function accountSecurity(page: AccountTemplatePage, view: AccountSecurityView): Html {
  const panels = [
    view.passkeys && passkeysPanel(page, view.passkeys),
    view.twoFactor && twoFactor(page, view.twoFactor),
    view.phones && phonesPanel(page, view.phones),
    view.connected && connectedPanel(page, view.connected),
  ];
  return html`${view.password && passwordPanel(page, view.password)} ${panels}`;
}

function passwordPanel(
  page: AccountTemplatePage,
  { canSet, isSet }: NonNullable<AccountSecurityView['password']>,
): Html {
  const { password } = page.words;
  return panel({
    id: 'password',
    title: password.title,
    lead: isSet ? password.isSet : canSet ? password.isMissing : password.needsEmail,
    action:
      canSet &&
      linkButton(page, {
        path: `${page.paths.account}/security/password`,
        label: isSet ? password.change : password.set,
      }),
  });
}

function passkeysPanel(
  page: AccountTemplatePage,
  passkeys: NonNullable<AccountSecurityView['passkeys']>,
): Html {
  const { paths, words } = page;
  const rows = passkeys.map((passkey) =>
    row({
      icon: icons.passkey,
      title: html`<bdi>${passkey.name}</bdi> ${badge(
          passkey.isSynced ? words.passkeys.synced : words.passkeys.deviceOnly,
        )}`,
      detail: dotted(
        words.added(when(page, passkey.createdAt)),
        lastUse(page, passkey),
        passkey.isOneDevice && words.passkeys.oneDevice,
      ),
      actions: [
        linkButton(page, { path: passkey.renamePath, label: words.rename, about: passkey.name }),
        linkButton(page, { path: passkey.removePath, label: words.remove, about: passkey.name }),
      ],
    }),
  );
  return panel({
    id: 'passkeys',
    title: words.passkeys.title,
    lead: words.passkeys.lead,
    action: linkButton(page, { path: `${paths.account}/security/passkeys/add`, label: words.passkeys.add }),
    rows,
  });
}

function lastUse(page: AccountTemplatePage, { client, ip, lastUsedAt }: AccountPasskeyView) {
  const { words } = page;
  if (!lastUsedAt) return words.neverUsed;
  const time = when(page, lastUsedAt);
  const used = client === null ? words.lastUsed(time) : words.lastUsedWith(time, html`<bdi>${client}</bdi>`);
  return dotted(used, ip !== null && html`<bdi>${ip}</bdi>`);
}

function phonesPanel(page: AccountTemplatePage, phones: NonNullable<AccountSecurityView['phones']>): Html {
  const { paths, words } = page;
  const rows = phones.map(({ createdAt, phone, removePath, shown }) =>
    row({
      icon: icons.phone,
      title: shown,
      detail: words.added(when(page, createdAt)),
      actions: linkButton(page, { path: removePath, label: words.remove, about: phone }),
    }),
  );
  return panel({
    id: 'phones',
    title: words.phones.title,
    lead: words.phones.lead,
    action: linkButton(page, { path: `${paths.account}/security/phones/add`, label: words.phones.add }),
    rows,
  });
}

function connectedPanel(
  page: AccountTemplatePage,
  { accounts, others }: NonNullable<AccountSecurityView['connected']>,
): Html {
  const { added, connected } = page.words;
  const own = accounts.map(({ createdAt, disconnectPath, icon, label }) =>
    row({
      icon,
      title: html`<bdi>${label}</bdi>`,
      detail: added(when(page, createdAt)),
      actions: linkButton(page, { path: disconnectPath, label: connected.disconnect, about: label }),
    }),
  );
  const unconnected = others.map(({ connectPath, icon, label }) =>
    row({
      icon,
      title: label,
      detail: connected.notConnected,
      actions: buttonForm(page, {
        action: connectPath,
        label: html`${connected.connect}<span class="hidden">: ${label}</span>`,
        // The response leads to the provider, which the script cannot show.
        isPlain: true,
      }),
    }),
  );
  return panel({
    id: 'connected',
    title: connected.title,
    lead: connected.lead,
    rows: [...own, ...unconnected],
  });
}
