/** The second step of a sign-in: a code of the authenticator app, a passkey, a mailed code or a recovery code. */
import {
  attempted,
  checkBox,
  codeInput,
  form,
  html,
  icons,
  input,
  link,
  type Html,
  type SecondStepView,
  type TemplatePage,
} from '../template.js';
import { resendForm } from './code-form.js';

export function secondStep(page: TemplatePage, view: SecondStepView): Html {
  const { lead, main } = { totp, recovery, email, passkey }[view.method](page, view);
  return html`<h1>${view.title}</h1>
    ${view.account !== null && html`<p class="identity"><bdi>${view.account}</bdi></p>`}
    ${
      view.method === 'passkey' &&
      html`<noscript><p class="banner bad">${page.texts.errors.passkeyNeedsScript}</p></noscript>`
    }
    <p class="lead">${lead}</p>
    ${main} ${otherSteps(page, view)}`;
}

interface Step {
  lead: string;
  main: Html;
}

function totp(page: TemplatePage, view: SecondStepView): Step {
  const { paths, texts } = page;
  const { attempt } = view;
  const main = form(page, {
    action: paths.twoFactor,
    attempt,
    submit: texts.continue,
    fields: [
      codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: view.digits }),
      trustField(page, view),
    ],
  });
  return { lead: texts.twoFactor.app, main };
}

function recovery(page: TemplatePage, { attempt }: SecondStepView): Step {
  const { paths, texts } = page;
  const main = form(page, {
    action: `${paths.twoFactor}/recovery`,
    attempt,
    submit: texts.continue,
    fields: [
      input({
        name: 'code',
        label: texts.twoFactor.recoveryCode,
        autocomplete: 'off',
        error: attempt?.errors.get('code'),
      }),
    ],
  });
  return { lead: texts.twoFactor.recovery, main };
}

function email(page: TemplatePage, view: SecondStepView): Step {
  const { paths, texts } = page;
  const { attempt, digits, wasSent } = view;
  const send = `${paths.twoFactor}/email/send`;
  if (!wasSent)
    return {
      lead: texts.twoFactor.emailFirst,
      main: form(page, { action: send, attempt, submit: texts.twoFactor.sendEmail }),
    };
  const main = html`${form(page, {
      action: `${paths.twoFactor}/email`,
      attempt,
      submit: texts.continue,
      fields: [
        codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits }),
        trustField(page, view),
      ],
    })}
    <div class="below row">${resendForm(page, send, view.resendIn)}</div>`;
  return { lead: texts.twoFactor.email, main };
}

function passkey(page: TemplatePage, view: SecondStepView): Step {
  const { paths, texts } = page;
  const main = form(page, {
    action: `${paths.twoFactor}/passkey`,
    attempt: view.attempt,
    submit: [icons.passkey, texts.twoFactor.confirmPasskey],
    isCeremony: true,
    fields: [trustField(page, view)],
  });
  return { lead: texts.twoFactor.passkey, main };
}

/** A box to skip the second step in this browser from now on, if the application offers it. */
function trustField({ texts }: TemplatePage, { attempt, trustDays }: SecondStepView): Html | false {
  const isChecked = attempt?.values.get('trust') === 'yes';
  return (
    trustDays !== null && checkBox({ name: 'trust', label: texts.twoFactor.trust(trustDays), isChecked })
  );
}

/** Links to the other methods, and back to the beginning. */
function otherSteps(page: TemplatePage, { otherMethods }: SecondStepView): Html {
  const { base, paths, texts } = page;
  const { useApp, useEmail, usePasskey, useRecovery, restart } = texts.twoFactor;
  const to = (path: string, label: string) =>
    html`<a class="button plain" href="${base}${path}">${label}</a>`;
  const offers = {
    totp: () => to(`${paths.twoFactor}?use=app`, useApp),
    passkey: () => to(`${paths.twoFactor}/passkey`, usePasskey),
    email: () => form(page, { action: `${paths.twoFactor}/email/send`, submit: useEmail, kind: 'plain' }),
    recovery: () => to(`${paths.twoFactor}/recovery`, useRecovery),
  };
  return html`${
      otherMethods.length > 0 &&
      html`<div class="others">${otherMethods.map((method) => offers[method]())}</div>`
    }
    <p class="below">${link(page, paths.signIn, restart)}</p>`;
}
