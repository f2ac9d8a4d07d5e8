/** The second step of a sign-in: a page for each method. The first page leads to the method that the user prefers. */
import { FieldError } from '../../pages-kit/attempt.js';
import { runCeremony } from '../ceremony.js';
import { requiredCode, typedCode } from '../code-input.js';
import { definePage, goTo, type Next, type Page, type Visit } from '../page.js';
import { arriveOrOffer } from '../sign-in/passkey-offer.js';
import { noteSent } from '../sent.js';
import { expired, guessing, pendingOf, showStep, stepOf, withTrust } from './step.js';

const appCodePage = definePage({
  path: ({ twoFactor }) => twoFactor,
  access: 'open',
  isOffered: ({ secondFactor }) => secondFactor !== null,
  async show(visit, attempt) {
    const { paths, query } = visit;
    const step = await stepOf(visit);
    const preferred = step?.preferred;
    const asksForApp = attempt !== null || query.get('use') === 'app';
    if (!asksForApp && (preferred === 'passkey' || preferred === 'email')) {
      // The page to arrive at is in the address of this page only.
      visit.keep({});
      return goTo(`${paths.twoFactor}/${preferred}`);
    }
    return showStep(visit, attempt, 'totp', step);
  },
  forms: {
    '': {
      access: 'open',
      submit: async (values, visit) => finish(visit, values, 'code', typedCode(values)),
    },
  },
});

const recoveryCodePage = definePage({
  path: ({ twoFactor }) => `${twoFactor}/recovery`,
  access: 'open',
  isOffered: ({ secondFactor }) => secondFactor !== null,
  show: async (visit, attempt) => showStep(visit, attempt, 'recovery', await stepOf(visit)),
  forms: {
    '': {
      access: 'open',
      submit: async (values, visit) => finish(visit, values, 'recoveryCode', typedCode(values)),
    },
  },
});

const emailStepPage = definePage({
  path: ({ twoFactor }) => `${twoFactor}/email`,
  access: 'open',
  isOffered: ({ otherSecondSteps }) => otherSecondSteps !== null,
  show: async (visit, attempt) => showStep(visit, attempt, 'email', await stepOf(visit)),
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, texts } = visit;
        const token = pendingOf(visit);
        if (token === undefined) return expired(visit);
        const code = requiredCode(values, texts);
        const steps = features.otherSecondSteps;
        const trusting = withTrust(context, values);
        return arriveOrOffer(
          visit,
          await guessing(texts, () => steps.finishWithEmailCode({ token, code }, trusting)),
        );
      },
    },
    send: {
      access: 'open',
      async submit(_values, visit) {
        const token = pendingOf(visit);
        if (token === undefined) return expired(visit);
        await visit.features.otherSecondSteps.sendEmailCode({ token }, visit.context);
        noteSent(visit, 'second_factor', token);
        return goTo(`${visit.paths.twoFactor}/email`);
      },
    },
  },
});

const passkeyStepPage = definePage({
  path: ({ twoFactor }) => `${twoFactor}/passkey`,
  access: 'open',
  isOffered: ({ passkeys, secondFactor }) => secondFactor !== null && passkeys !== null,
  show: async (visit, attempt) => showStep(visit, attempt, 'passkey', await stepOf(visit)),
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features } = visit;
        const token = pendingOf(visit);
        if (token === undefined) return expired(visit);
        const passkeys = features.passkeys!;
        return runCeremony(visit, values, {
          ceremony: 'get',
          start: () => passkeys.startSecondFactor({ token }, context),
          finish: async (answer) =>
            arriveOrOffer(
              visit,
              await passkeys.finishSecondFactor({ token, ...answer }, withTrust(context, values)),
            ),
        });
      },
    },
  },
});

export const secondFactorPages: readonly Page[] = [
  appCodePage,
  recoveryCodePage,
  emailStepPage,
  passkeyStepPage,
];

async function finish(
  visit: Visit,
  values: URLSearchParams,
  kind: 'code' | 'recoveryCode',
  code: string,
): Promise<Next> {
  const { context, features, texts } = visit;
  const token = pendingOf(visit);
  if (token === undefined) return expired(visit);
  if (code === '') throw new FieldError('code', texts.errors.codeMissing);
  const input = kind === 'code' ? { token, code } : { token, recoveryCode: code };
  const trusting = withTrust(context, values);
  return arriveOrOffer(
    visit,
    await guessing(texts, () => features.secondFactor!.finishSignIn(input, trusting)),
  );
}
