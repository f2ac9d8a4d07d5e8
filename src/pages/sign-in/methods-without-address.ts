/** The buttons of the methods that need no address: identity providers and passkeys. */
import { html, type Html } from '../../html/html.js';
import { icons } from '../icons.js';
import type { Visit } from '../page.js';

/** @param passkeyLabel null if the page offers no passkey. */
export function methodsWithoutAddress(
  { authPath, base, features, paths, providerNames, texts }: Visit,
  passkeyLabel: string | null,
): Html | null {
  const hasPasskey = features.webauthn !== null && passkeyLabel !== null;
  if (!features.google && !hasPasskey && features.oauth.length === 0) return null;
  return html`${
    features.google &&
    html`<a class="button plain" href="${authPath}/google/start"
      >${icons.google} ${texts.continueWith('Google')}</a
    >`
  }
  ${features.oauth.map(
    (name) =>
      html`<a class="button plain" href="${authPath}/oauth/${name}/start"
        >${texts.continueWith(providerNames[name] ?? capitalized(name))}</a
      >`,
  )}
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
  }`;
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
