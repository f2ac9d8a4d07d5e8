/** The set-up of an authenticator app: the first one turns two-factor authentication on. */
import { isServiceError } from '../../../errors/service-error.js';
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
import { guessing } from '../../second-factor/step.js';
import { lostCodesView, recoveryCodesView } from './recovery-codes.js';
import { FieldError, type Attempt } from '../../../pages-kit/attempt.js';

const confirmPath = '/security/authenticator/confirm';

const setUpPage = defineAccountPage({
  section: 'security',
  path: '/security/authenticator',
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show: startView,
  forms: {
    start: {
      access: 'recent',
      async submit(_values, visit) {
        const { uri } = await visit.offers.totp!.beginEnrollment(visit.me.id, visit.context);
        return scanView(visit, uri, null);
      },
    },
  },
});

/** Where the form of the first code leads. The recovery codes are in its response only, and a reload of the page says so. */
const confirmPage = defineAccountPage({
  section: 'security',
  path: confirmPath,
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show(visit, attempt) {
    const uri = attempt?.values.get('uri') ?? '';
    // After a wrong code. The secret is one that this browser has sent, and the storage has its own copy.
    if (isUri(uri)) return scanView(visit, uri, attempt);
    if (!visit.record.twoFactor) return attempt ? startView(visit) : done(visit, '/security/authenticator');
    // A browser without a script has sent the form again.
    return attempt === null ? lostCodesView(visit) : done(visit, confirmPath);
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, texts, words } = visit;
        if (!isUri(values.get('uri') ?? '')) throw new FieldError('', words.errors.setUpAgain);
        const code = requiredCode(values, texts);
        const name = (values.get('name') ?? '').trim();
        const app = { userId: me.id, code, ...(name !== '' && { name }) };
        try {
          const added = await guessing(texts, () => offers.totp!.addApp(app, context));
          const { recoveryCodes, ...changed } = added;
          continueVisit(visit, changed);
          // An app besides others needs no further codes.
          if (!recoveryCodes) return done(visit, '/security', 'appAdded');
          return recoveryCodesView(visit, recoveryCodes, { isNew: true });
        } catch (error) {
          // The set-up is complete, or was begun in another tab.
          if (isServiceError(error) && error.code === 'code_not_found') return done(visit, confirmPath);
          throw error;
        }
      },
    },
  },
});

function startView(visit: AccountVisit): AccountView {
  const { texts, words } = visit;
  const { authenticator } = words;
  const body = changeBody(visit, {
    lead: authenticator.setUpLead,
    form: {
      action: `${at(visit, '/security/authenticator')}/start`,
      submit: texts.continue,
      cancel: at(visit, '/security'),
    },
  });
  return { title: authenticator.setUpTitle, parent: parentOf(visit), body };
}

/** Shows the secret: in the response to a form, because it is new each time. */
function scanView(visit: AccountVisit, uri: string, attempt: Attempt | null): AccountView {
  const { session, templates, words } = visit;
  const { authenticator } = words;
  const key = new URL(uri).searchParams.get('secret') ?? '';
  const body = templates.accountAuthenticator(visit, {
    attempt,
    action: at(visit, confirmPath),
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

export const authenticatorPages: readonly AccountPage[] = [setUpPage, confirmPage];
