/** The methods of the second step besides the authenticator app: codes by email switched on and off, and the preferred method. */
import { preferableMethods, type PreferableMethod } from '../../../domain/second-factor.js';
import { html } from '../../../html/html.js';
import { select } from '../../../pages-kit/fields.js';
import { FieldError } from '../../../pages-kit/attempt.js';
import type { SecondFactorState } from '../../../providers/second-factor/inputs.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { continueVisit } from '../continue-session.js';
import { at, defineAccountPage, done, type AccountPage, type AccountVisit } from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { removal } from '../removal.js';

export type SecondSteps = SecondFactorState;

/** Returns what the user has chosen. Guests and users without a second factor have no methods. */
export async function secondStepsOf({ context, me, offers }: AccountVisit): Promise<SecondSteps> {
  return offers.secondFactor.state(me.id, context);
}

/** The methods that the user can prefer now. */
export function preferableOf({ methods }: SecondSteps): PreferableMethod[] {
  return preferableMethods.filter((method) => methods.includes(method));
}

export function preferredOf({ preferred }: SecondSteps): PreferableMethod {
  return preferableMethods.find((method) => method === preferred) ?? 'totp';
}

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });
const isOffered: AccountPage['isOffered'] = ({ secondFactor, totp }) =>
  secondFactor !== null && totp !== null;

const emailOnPage = defineAccountPage({
  section: 'security',
  path: '/security/email-codes',
  access: 'recent',
  isOffered: (offers) => isOffered(offers) && offers.secondSteps.email,
  async show(visit) {
    const { record, words } = visit;
    const { authenticator } = words;
    if (!record.twoFactor || record.email === null || !record.emailVerified) return done(visit, '/security');
    if ((await secondStepsOf(visit)).email) return done(visit, '/security');
    const body = changeBody(visit, {
      lead: authenticator.emailLead(html`<strong><bdi>${record.email}</bdi></strong>`),
      note: authenticator.otherDevices,
      form: {
        action: at(visit, '/security/email-codes'),
        submit: authenticator.turnOn,
        cancel: at(visit, '/security'),
      },
    });
    return { title: authenticator.emailOnTitle, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(_values, visit) {
        const { context, me, offers } = visit;
        continueVisit(visit, await offers.secondFactor.enableEmail(me.id, context));
        return done(visit, '/security', 'emailCodesOn');
      },
    },
  },
});

const emailOffPage = removal({
  section: 'security',
  path: '/security/email-codes/turn-off',
  access: 'recent',
  isOffered,
  words: ({ words: { authenticator } }) => ({
    title: authenticator.emailOffTitle,
    lead: authenticator.emailOffLead,
    submit: authenticator.turnOff,
  }),
  parent: parentOf,
  find: async (visit) => ((await secondStepsOf(visit)).email ? null : undefined),
  async remove(visit) {
    const { context, me, offers } = visit;
    continueVisit(visit, await offers.secondFactor.disableEmail(me.id, context));
    return done(visit, '/security', 'emailCodesOff');
  },
});

const preferredPage = defineAccountPage({
  section: 'security',
  path: '/security/preferred',
  access: 'no-impersonation',
  isOffered,
  async show(visit, attempt) {
    const { record, words } = visit;
    const { methods, preferred, preferredLead } = words.authenticator;
    if (!record.twoFactor) return notFoundView(visit);
    const steps = await secondStepsOf(visit);
    const body = changeBody(visit, {
      lead: preferredLead,
      form: {
        action: at(visit, '/security/preferred'),
        fields: select({
          ...attempted(attempt, 'method', preferredOf(steps)),
          label: preferred,
          choices: preferableOf(steps).map((method) => [method, methods[method]]),
        }),
        submit: words.save,
        cancel: at(visit, '/security'),
      },
    });
    return { title: preferred, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, texts } = visit;
        const method = preferableMethods.find((each) => each === values.get('method'));
        if (!method) throw new FieldError('method', texts.errors.invalid);
        await offers.secondFactor.setPreferred({ userId: me.id, method }, context);
        return done(visit, '/security', 'preferred');
      },
    },
  },
});

export const secondStepPages: readonly AccountPage[] = [emailOnPage, emailOffPage, preferredPage];
