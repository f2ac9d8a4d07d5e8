/** The set-up of an authenticator app: the first one turns two-factor authentication on. */
import { html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { codeInput, requiredCode } from '../../code-input.js';
import { attempted } from '../../form.js';
import { continueVisit } from '../continue-session.js';
import { accountForm } from '../form.js';
import { at, done, type AccountPage, type AccountView, type AccountVisit } from '../page.js';
import { qrCode } from '../qr-code.js';
import { recoveryCodesView } from './recovery-codes.js';
import { FieldError, type Attempt } from '../../../pages-kit/attempt.js';

const setUpPage: AccountPage = {
  section: 'security',
  path: '/security/authenticator',
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show(visit, attempt) {
    const uri = attempt?.values.get('uri') ?? '';
    // After a wrong code. The secret is one that this browser has sent, and the storage has its own copy.
    if (isUri(uri)) return scanView(visit, uri, attempt);
    const { authenticator } = visit.words;
    const body = html`<section class="panel">
      <p>${authenticator.setUpLead}</p>
      ${accountForm(visit, {
        action: `${at(visit, '/security/authenticator')}/start`,
        submit: visit.texts.continue,
        cancel: at(visit, '/security'),
      })}
    </section>`;
    return { title: authenticator.setUpTitle, parent: parentOf(visit), body };
  },
  forms: {
    start: {
      access: 'recent',
      async submit(_values, visit) {
        const { uri } = await visit.offers.totp!.beginEnrollment(visit.me.id);
        return scanView(visit, uri, null);
      },
    },
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, texts, words } = visit;
        if (!isUri(values.get('uri') ?? '')) throw new FieldError('', words.errors.setUpAgain);
        const code = requiredCode(values, texts);
        const name = (values.get('name') ?? '').trim();
        const app = { userId: me.id, code, ...(name !== '' && { name }) };
        const { recoveryCodes, ...changed } = await offers.totp!.addApp(app, context);
        continueVisit(visit, changed);
        // An app besides others needs no further codes.
        if (!recoveryCodes) return done(visit, '/security', 'appAdded');
        return recoveryCodesView(visit, recoveryCodes, { isNew: true });
      },
    },
  },
};

/** Shows the secret: in the response to a form, because it is new each time. */
function scanView(visit: AccountVisit, uri: string, attempt: Attempt | null): AccountView {
  const { session, words } = visit;
  const { authenticator } = words;
  const code = qrCode(uri, authenticator.scan);
  const key = new URL(uri).searchParams.get('secret') ?? '';
  const body = html`<section class="panel">
    <ol class="guide">
      <li>
        <h2>${authenticator.scan}</h2>
        ${code}
        <p class="soft">${authenticator.scanLead} <a href="${uri}">${authenticator.openApp}</a></p>
        <p class="soft">${authenticator.orKey}</p>
        <p><code class="secret-text" dir="ltr">${(key.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
      </li>
      <li>
        <h2>${authenticator.enterCode}</h2>
        ${accountForm(visit, {
          action: at(visit, '/security/authenticator'),
          fields: [
            html`<input type="hidden" name="uri" value="${uri}" />`,
            codeInput({ name: 'code', label: authenticator.code, error: attempt?.errors.get('code') }),
            input({
              ...attempted(attempt, 'name'),
              label: words.name,
              hint: words.nameHint,
              maxLength: 100,
            }),
            html`<p class="soft">${authenticator.otherDevices}</p>`,
          ],
          submit: session.user.totpEnabled ? authenticator.addApp : authenticator.turnOn,
          cancel: at(visit, '/security'),
        })}
      </li>
    </ol>
  </section>`;
  return { title: authenticator.setUpTitle, parent: parentOf(visit), body };
}

/** An address of an authenticator app, such as `beginEnrollment` returns. No other scheme gets into the link. */
function isUri(uri: string): boolean {
  return uri.length < 1_000 && /^otpauth:\/\/totp\/[\x21-\x7e]+$/.test(uri) && URL.canParse(uri);
}

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });

export const authenticatorPages: readonly AccountPage[] = [setUpPage];
