/** Asks a user to sign in again, before a change that a forgotten session must not make. */
import {
  accountForm,
  buttonForm,
  html,
  icons,
  input,
  linkButton,
  usernameOf,
  type AccountConfirmView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountConfirm(page: AccountTemplatePage, view: AccountConfirmView): Html {
  const { base, words } = page;
  const { guest, refusal, user } = view;
  return html`<h1>${view.title}</h1>
    ${refusal !== null && html`<p class="banner bad" role="alert">${refusal}</p>`}
    ${
      guest
        ? forGuest(page, guest.canUpgrade)
        : html`<p class="lead">${words.confirm.lead(html`<strong><bdi>${user}</bdi></strong>`)}</p>
            ${methods(page, view)}`
    }
    <p class="below"><a href="${base}${view.cancelPath}">${words.cancel}</a></p>`;
}

function forGuest(page: AccountTemplatePage, canUpgrade: boolean): Html {
  const { paths, texts, words } = page;
  return html`<p class="lead">${words.confirm.guest}</p>
    ${
      canUpgrade &&
      linkButton(page, {
        path: `${paths.account}/profile/upgrade`,
        label: texts.signUp.submit,
        kind: 'primary',
      })
    }`;
}

function methods(page: AccountTemplatePage, view: AccountConfirmView): Html {
  const { texts, words } = page;
  const { attempt, hasPassword, user } = view;
  const others = otherMethods(page, view);
  const hasOthers = others.length > 0;
  return html`${
    hasPassword &&
    accountForm(page, {
      action: view.action,
      fields: [
        usernameOf(user),
        input({
          name: 'current',
          label: texts.password,
          type: 'password',
          autocomplete: 'current-password',
          reveal: { show: texts.showPassword, hide: texts.hidePassword },
          error: attempt?.errors.get('current'),
        }),
      ],
      submit: texts.continue,
    })
  }
  ${hasPassword && hasOthers && html`<p class="or"><span>${texts.or}</span></p>`}
  ${hasOthers && html`<div class="others">${others}</div>`}
  ${!hasPassword && !hasOthers && html`<p>${words.confirm.none}</p>`}`;
}

function otherMethods(page: AccountTemplatePage, view: AccountConfirmView): Html[] {
  const { authPath, base, paths, texts } = page;
  const { confirm } = page.words;
  const { action, byMail, hasPasskey, hasPhone, providers } = view;
  const mailLabel = byMail === 'code' ? confirm.emailCode : confirm.emailLink;
  return [
    ...(byMail ? [buttonForm(page, { action: `${action}/mail`, label: mailLabel })] : []),
    ...(hasPhone
      ? [buttonForm(page, { action: `${action}/phone`, label: [icons.phone, confirm.textCode] })]
      : []),
    ...(hasPasskey
      ? [
          html`<button
            class="plain"
            type="button"
            data-passkey="${authPath}/passkeys/authenticate"
            data-arrive="${base}${paths.signIn}/done"
            data-refused="${base}${action}?error="
            hidden
          >
            ${icons.passkey} ${confirm.passkey}
          </button>`,
        ]
      : []),
    ...providers.map(
      ({ icon, label, url }) =>
        html`<a class="button plain" href="${url}">${icon} ${texts.continueWith(label)}</a>`,
    ),
  ];
}
