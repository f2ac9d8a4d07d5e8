/** Sign-in with a code in a text message: the number, then the code. */
import { isServiceError } from '../../errors/service-error.js';
import { html } from '../../html/html.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { solutionOf } from '../challenge.js';
import { requiredCode } from '../code-input.js';
import { phoneCountriesOf } from '../countries.js';
import { typedPhone } from '../phone-input.js';
import { noteSent, resendPause } from '../sent.js';
import { shownPhone } from '../shown-phone.js';
import { definePage, goTo, type Next, type Visit } from '../page.js';
import { arriveOrOffer } from './passkey-offer.js';
import { phonePath } from './methods.js';

export const phonePage = definePage({
  path: ({ signIn }) => `${signIn}/phone`,
  access: 'open',
  isOffered: ({ phone }) => phone !== null,
  show(visit, attempt) {
    const { features, flow, name, paths, query, templates, texts } = visit;
    if (!attempt) {
      delete flow.from;
      if (query.get('from') === 'sign-up') flow.from = 'sign-up';
    }
    const backPath = flow.from === undefined ? paths.signIn : paths.signUp;
    const title = texts.signIn.title(name);
    const chosen = attempt?.values.get('country') ?? null;
    const countries = phoneCountriesOf(visit, features.phone!.countries(), chosen);
    return { title, body: templates.phone(visit, { title, attempt, backPath, ...countries }) };
  },
  forms: {
    '': {
      access: 'open',
      submit: async (values, visit) => send(visit, typedPhone(values, visit.texts), values),
    },
  },
});

export const phoneCodePage = definePage({
  path: ({ signIn }) => `${signIn}/phone/code`,
  access: 'open',
  isOffered: ({ phone }) => phone !== null,
  show(visit, attempt) {
    const { features, flow, paths, templates, texts } = visit;
    const { phone } = flow;
    if (phone === undefined) return goTo(`${paths.signIn}/phone`);
    const { title, code, otherNumber } = texts.checkPhone;
    const body = templates.code(visit, {
      title,
      attempt,
      lead: code(html`<strong>${shownPhone(phone)}</strong>`),
      action: `${paths.signIn}/phone/code`,
      hidden: { phone },
      digits: features.codeDigits,
      hasLetters: false,
      resend: `${paths.signIn}/phone/code/again`,
      resendIn: resendPause(visit, 'phone_code', phone),
      otherAddress: { path: phonePath(paths, flow.from), label: otherNumber },
      webMail: null,
      current: null,
      otherMethods: [],
      lastUsed: null,
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, texts } = visit;
        const phone = values.get('phone') ?? '';
        const code = requiredCode(values, texts);
        visit.flow.phone = phone;
        return arriveOrOffer(visit, await features.phone!.verify({ phone, code }, context));
      },
    },
    again: {
      access: 'open',
      async submit(values, visit) {
        const { phone } = visit.flow;
        return phone === undefined ? goTo(`${visit.paths.signIn}/phone`) : send(visit, phone, values);
      },
    },
  },
});

async function send(visit: Visit, phone: string, values: URLSearchParams): Promise<Next> {
  const { context, features, paths, texts } = visit;
  try {
    await features.phone!.sendCode({ phone, ...solutionOf(values, visit) }, context);
  } catch (error) {
    // The number is well-formed, so its country is what was refused.
    if (isServiceError(error) && error.code === 'invalid_request')
      throw new FieldError('phone', texts.errors.phoneCountry);
    throw error;
  }
  visit.keep({ phone });
  noteSent(visit, 'phone_code', phone);
  return goTo(`${paths.signIn}/phone/code`);
}
