/** Asks the user to sign in again, with what the account has, before a change that a forgotten session must not make. */
import { html, type Html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { isPrefetch } from '../../../http/request-context.js';
import { sentenceFor } from '../../form-errors.js';
import { icons } from '../../icons.js';
import { providerIcon } from '../../provider-icon.js';
import { arrive, leave } from '../../sign-in/arrive.js';
import { usernameOf } from '../../sign-in/identity.js';
import { accountForm, buttonForm } from '../form.js';
import { at, nameOf, type AccountPage, type ShownVisit } from '../page.js';
import { linkButton } from '../parts.js';
import { canUpgrade } from '../profile/upgrade.js';
import { codePages, confirmForms } from './codes.js';
import { confirmMethodsOf, type ConfirmMethods } from './methods.js';
import { FieldError, type Attempt } from '../../../pages-kit/attempt.js';

const confirmPage: AccountPage = {
  section: 'profile',
  path: '/confirm',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: () => true,
  async show(visit, attempt) {
    const { base, isRecent, query, record, req, texts, words } = visit;
    if (isRecent) return leave(visit);
    // Where the sign-in arrives: a prefetched page must not change it.
    if (!isPrefetch(req)) visit.keep({});
    const { confirm } = words;
    // Where a passkey or an identity provider was refused.
    const refusal = attempt ? null : sentenceFor(query.get('error') ?? '', texts);
    const name = nameOf(record);
    const body = html`<h1>${confirm.title}</h1>
      ${refusal !== null && html`<p class="banner bad" role="alert">${refusal}</p>`}
      ${
        record.isGuest
          ? html`<p class="lead">${confirm.guest}</p>
              ${
                canUpgrade(visit.offers) &&
                linkButton(visit, {
                  path: at(visit, '/profile/upgrade'),
                  label: texts.signUp.submit,
                  kind: 'primary',
                })
              }`
          : html`<p class="lead">${confirm.lead(html`<strong><bdi>${name ?? ''}</bdi></strong>`)}</p>
              ${methods(visit, await confirmMethodsOf(visit), attempt)}`
      }
      <p class="below"><a href="${base}${at(visit, '/profile')}">${words.cancel}</a></p>`;
    return { title: confirm.title, frame: 'card', body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, features, me, texts } = visit;
        const password = values.get('current') ?? '';
        if (!features.password) return { to: at(visit, '/confirm') };
        if (password === '') throw new FieldError('current', texts.errors.passwordMissing);
        const username = values.get('email') ?? '';
        const subject = me.email === null ? { username } : { email: me.email };
        return arrive(visit, await features.password.login({ ...subject, password }, context));
      },
    },
    ...confirmForms,
  },
};

function methods(visit: ShownVisit, own: ConfirmMethods, attempt: Attempt | null): Html {
  const { authPath, paths, base, record, texts, words } = visit;
  const { confirm } = words;
  const path = at(visit, '/confirm');
  const others = [
    own.byMail &&
      buttonForm(visit, {
        action: `${path}/mail`,
        label: own.byMail === 'code' ? confirm.emailCode : confirm.emailLink,
      }),
    own.phone !== null &&
      buttonForm(visit, { action: `${path}/phone`, label: [icons.phone, confirm.textCode] }),
    own.hasPasskey &&
      html`<button
        class="plain"
        type="button"
        data-passkey="${authPath}/passkeys/authenticate"
        data-arrive="${base}${paths.signIn}/done"
        data-refused="${base}${path}?error="
        hidden
      >
        ${icons.passkey} ${confirm.passkey}
      </button>`,
    ...own.providers.map(
      (provider) =>
        html`<a class="button plain" href="${authPath}${provider.path}/start"
          >${providerIcon(provider.id, provider.label)} ${texts.continueWith(provider.label)}</a
        >`,
    ),
  ].filter((each): each is Html => Boolean(each));
  const hasNone = !own.hasPassword && others.length === 0;
  return html`${
    own.hasPassword &&
    accountForm(visit, {
      action: path,
      fields: [
        usernameOf(record.email ?? record.username ?? ''),
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
  ${own.hasPassword && others.length > 0 && html`<p class="or"><span>${texts.or}</span></p>`}
  ${others.length > 0 && html`<div class="others">${others}</div>`} ${hasNone && html`<p>${confirm.none}</p>`}`;
}

export const confirmPages: readonly AccountPage[] = [confirmPage, ...codePages];
