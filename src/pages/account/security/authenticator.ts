/** The set-up of an authenticator app: the first one turns two-factor authentication on. */
import { requiredCode } from '../../code-input.js';
import { changeBody } from '../change.js';
import { continueVisit } from '../continue-session.js';
import {
  at,
  defineAccountPage,
  done,
  type AccountPage,
  type AccountView,
  type AccountVisit,
} from '../page.js';
import { qrCode } from '../qr-code.js';
import { recoveryCodesView } from './recovery-codes.js';
import { FieldError, type Attempt } from '../../../pages-kit/attempt.js';

const setUpPage = defineAccountPage({
  section: 'security',
  path: '/security/authenticator',
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show(visit, attempt) {
    const uri = attempt?.values.get('uri') ?? '';
    // After a wrong code. The secret is one that this browser has sent, and the storage has its own copy.
    if (isUri(uri)) return scanView(visit, uri, attempt);
    const { authenticator } = visit.words;
    const body = changeBody(visit, {
      lead: authenticator.setUpLead,
      form: {
        action: `${at(visit, '/security/authenticator')}/start`,
        submit: visit.texts.continue,
        cancel: at(visit, '/security'),
      },
    });
    return { title: authenticator.setUpTitle, parent: parentOf(visit), body };
  },
  forms: {
    start: {
      access: 'recent',
      async submit(_values, visit) {
        const { uri } = await visit.offers.totp!.beginEnrollment(visit.me.id, visit.context);
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
});

/** Shows the secret: in the response to a form, because it is new each time. */
function scanView(visit: AccountVisit, uri: string, attempt: Attempt | null): AccountView {
  const { session, templates, words } = visit;
  const { authenticator } = words;
  const key = new URL(uri).searchParams.get('secret') ?? '';
  const body = templates.accountAuthenticator(visit, {
    attempt,
    uri,
    qrCode: qrCode(uri, authenticator.scan),
    key: (key.match(/.{1,4}/g) ?? []).join(' '),
    isFirst: !session.user.totpEnabled,
  });
  return { title: authenticator.setUpTitle, parent: parentOf(visit), body };
}

/** An address of an authenticator app, such as `beginEnrollment` returns. No other scheme gets into the link. */
function isUri(uri: string): boolean {
  return uri.length < 1_000 && /^otpauth:\/\/totp\/[\x21-\x7e]+$/.test(uri) && URL.canParse(uri);
}

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });

export const authenticatorPages: readonly AccountPage[] = [setUpPage];
