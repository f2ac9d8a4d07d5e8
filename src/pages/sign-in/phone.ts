/** Sign-in with a code in a text message: the number, then the code. */
import { parsePhoneNumber } from '../../domain/phone-number.js';
import { isServiceError } from '../../errors/service-error.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { solutionOf } from '../challenge.js';
import { requiredCode } from '../code-input.js';
import { definePage, goTo, type Next, type Visit } from '../page.js';
import { arrive } from './arrive.js';
import { strong } from './code-view.js';

export const phonePage = definePage({
  path: ({ signIn }) => `${signIn}/phone`,
  access: 'open',
  isOffered: ({ phone }) => phone !== null,
  show(visit, attempt) {
    const title = visit.texts.signIn.title(visit.name);
    return { title, body: visit.templates.phone(visit, { title, attempt }) };
  },
  forms: {
    '': { access: 'open', submit: async (values, visit) => send(visit, values.get('phone') ?? '', values) },
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
      lead: code(strong(phone)),
      action: `${paths.signIn}/phone/code`,
      hidden: { phone },
      digits: features.codeDigits,
      hasLetters: false,
      resend: `${paths.signIn}/phone/code/again`,
      otherAddress: { path: `${paths.signIn}/phone`, label: otherNumber },
      webMail: null,
      current: null,
      otherMethods: [],
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
        return arrive(visit, await features.phone!.verify({ phone, code }, context));
      },
    },
    again: { access: 'open', submit: async (values, visit) => send(visit, visit.flow.phone ?? '', values) },
  },
});

async function send(visit: Visit, typed: string, values: URLSearchParams): Promise<Next> {
  const { context, features, paths, texts } = visit;
  const phone = e164Of(typed);
  if (phone === null) throw new FieldError('phone', texts.errors.phone);
  try {
    await features.phone!.sendCode({ phone, ...solutionOf(values, visit) }, context);
  } catch (error) {
    // The number is well-formed, so its country is what was refused.
    if (isServiceError(error) && error.code === 'invalid_request')
      throw new FieldError('phone', texts.errors.phoneCountry);
    throw error;
  }
  visit.keep({ phone });
  return goTo(`${paths.signIn}/phone/code`);
}

function e164Of(typed: string): string | null {
  try {
    return parsePhoneNumber(typed).e164;
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}
