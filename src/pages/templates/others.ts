/** The buttons of the methods that need no address, and those of the other methods that do. */
import {
  form,
  html,
  icons,
  type AddressMethod,
  type Html,
  type OtherMethods,
  type PasswordView,
  type TemplatePage,
} from '../template.js';
import { lastUsed } from './last-used.js';
import { providerList } from './providers.js';

/** Identity providers, passkeys and text messages. Null without any of them. */
export function others(page: TemplatePage, methods: OtherMethods, passkeyLabel: string): Html | null {
  const { authPath, base, paths, texts } = page;
  const { providers, hasManyProviders, hasPasskey, hasPasskeySignUp, phonePath } = methods;
  if (providers.length === 0 && !hasPasskey && !hasPasskeySignUp && phonePath === null) return null;
  const list = providerList(page, methods);
  const passkeyUsed = lastUsed(page, methods.lastUsed === 'passkey');
  const phoneUsed = lastUsed(page, methods.lastUsed === 'phone');
  return html`${!hasManyProviders && list}
  ${
    hasPasskey &&
    html`<button
      class="plain"
      type="button"
      data-passkey="${authPath}/passkeys/authenticate"
      data-arrive="${base}${paths.signIn}/done"
      data-refused="${base}${paths.signIn}?error="
      ${passkeyUsed?.attribute}
      hidden
    >
      ${icons.passkey} ${passkeyLabel} ${passkeyUsed?.mark}
    </button>`
  }
  ${
    hasPasskeySignUp &&
    html`<a class="button plain" href="${base}${paths.signUp}/passkey" data-needs-passkeys hidden>
      ${icons.passkey} ${passkeyLabel}
    </a>`
  }
  ${
    phonePath !== null &&
    html`<a class="button plain" href="${base}${phonePath}" ${phoneUsed?.attribute}
      >${icons.phone} ${texts.signIn.phone} ${phoneUsed?.mark}</a
    >`
  }
  ${hasManyProviders && list}`;
}

/** A button for each of the other methods with an address. */
export function otherMethods(
  page: TemplatePage,
  current: AddressMethod,
  { otherMethods: methods, lastUsed: last }: Pick<PasswordView, 'otherMethods' | 'lastUsed'>,
): Html | false {
  const { paths, texts } = page;
  const labels = {
    password: texts.signIn.usePassword,
    code: texts.signIn.emailCode,
    link: texts.signIn.emailLink,
  };
  return (
    methods.length > 0 &&
    html`<div class="others">
      ${methods.map((method) => {
        const used = lastUsed(page, method === last);
        return form(page, {
          action: `${paths.signIn}/${current}/use-${method}`,
          submit: [labels[method], used?.mark],
          describedBy: used?.id,
          kind: 'plain',
        });
      })}
    </div>`
  );
}
