/** The buttons of the methods that need no address, and those of the other methods that do. */
import {
  form,
  html,
  icons,
  providerIcon,
  type AddressMethod,
  type Html,
  type OtherMethods,
  type TemplatePage,
} from '../template.js';

/** Identity providers, passkeys and text messages. Null without any of them. */
export function others(
  { authPath, base, paths, texts }: TemplatePage,
  { providers, hasPasskey, hasPasskeySignUp, hasPhone }: OtherMethods,
  passkeyLabel: string,
): Html | null {
  if (providers.length === 0 && !hasPasskey && !hasPasskeySignUp && !hasPhone) return null;
  return html`${providers.map(({ id, label, url, unrememberedUrl }) => {
    const content = html`${providerIcon(id, label)} ${texts.continueWith(label)}`;
    // The box in the form decides which of the two is shown, without a script.
    return html`<a class="button plain" href="${url}" ${unrememberedUrl && html`data-remember="yes"`}
        >${content}</a
      >${
        unrememberedUrl &&
        html`<a class="button plain" href="${unrememberedUrl}" data-remember="no">${content}</a>`
      }`;
  })}
  ${
    hasPasskey &&
    html`<button
      class="plain"
      type="button"
      data-passkey="${authPath}/passkeys/authenticate"
      data-arrive="${base}${paths.signIn}/done"
      data-refused="${base}${paths.signIn}?error="
      hidden
    >
      ${icons.passkey} ${passkeyLabel}
    </button>`
  }
  ${
    hasPasskeySignUp &&
    html`<a class="button plain" href="${base}${paths.signUp}/passkey" data-needs-passkeys hidden>
      ${icons.passkey} ${passkeyLabel}
    </a>`
  }
  ${
    hasPhone &&
    html`<a class="button plain" href="${base}${paths.signIn}/phone">${icons.phone} ${texts.signIn.phone}</a>`
  }`;
}

/** A button for each of the other methods with an address. */
export function otherMethods(
  page: TemplatePage,
  current: AddressMethod,
  methods: readonly AddressMethod[],
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
      ${methods.map((method) =>
        form(page, {
          action: `${paths.signIn}/${current}/use-${method}`,
          submit: labels[method],
          kind: 'plain',
        }),
      )}
    </div>`
  );
}
