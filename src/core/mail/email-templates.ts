/** The built-in mails and text messages. Every value is escaped in HTML, and none contains an email address. */
import { inTime, largeCode, linkButton, mailContent, phrase, sentences, type Parts } from './mail-content.js';
import type {
  CodeTemplate,
  EmailContent,
  LinkTemplate,
  MagicLinkTemplate,
  NoticeTemplate,
  OrgInviteTemplate,
  PhoneNoticeTemplate,
  ResetCodeTemplate,
  TemplateValues,
} from './senders/email-sender.js';
import type { SmsTemplate } from './senders/sms-sender.js';

export const codeTemplate: CodeTemplate = (values) => codeContent(values, values.texts.signInCode);

export const verificationTemplate: CodeTemplate = (values) => codeContent(values, values.texts.verification);

/**
 * Sent instead of `verificationTemplate` to an address that already has an account, if sign-ups do not reveal accounts. The code signs
 * its owner in.
 */
export const existingAccountTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.existingAccount);

/** For the second step of a sign-in. A user who gets it without signing in must know that an attacker has passed the first step. */
export const secondFactorTemplate: CodeTemplate = (values) => codeContent(values, values.texts.secondFactor);

export const recoveryCodesLowTemplate: NoticeTemplate = (values) =>
  notice(values, values.texts.recoveryCodesLow);

/** Sent to the new address of an account. */
export const newAddressTemplate: CodeTemplate = (values) => codeContent(values, values.texts.newAddress);

/** Sent to the current address of an account. Its owner must know what to do if an attacker requested the change. */
export const leavingAddressTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.leavingAddress);

/** Sent to a requested address that already has an account: informs its owner without revealing the account to the caller. */
export const addressInUseTemplate: NoticeTemplate = (values) => notice(values, values.texts.addressInUse);

export const addressChangedTemplate: NoticeTemplate = (values) =>
  notice(values, { ...values.texts.addressChanged, ignore: values.texts.notYouContactSupport });

/** Sent if `phoneOtp.notices` is configured. */
export const phoneChangedTemplate: PhoneNoticeTemplate = ({ change, phone, ...values }) => {
  const { phoneAdded, phoneRemoved, notYouContactSupport: ignore } = values.texts;
  const { subject, lead } = change === 'added' ? phoneAdded : phoneRemoved;
  const shown = { app: phrase(values, values.appName), phone: phrase(values, phone) };
  return mailContent(values, { subject: subject(shown), lead: lead(shown), ignore });
};

export const magicLinkTemplate: MagicLinkTemplate = ({ url, expiresInMinutes, ...values }) => {
  const { code, codeExpiresInMinutes = expiresInMinutes } = values;
  const { magicLink, signInCode } = values.texts;
  const app = phrase(values, values.appName);
  const link = { action: linkButton(magicLink.button, url), expiresInMinutes };
  if (code === undefined)
    return mailContent(values, {
      subject: magicLink.subject({ app }),
      lead: magicLink.lead({ app }),
      ...link,
    });
  return mailContent(values, {
    subject: signInCode.subject({ app, code }),
    lead: magicLink.leadWithCode({ app }),
    ...link,
    alternative: {
      lead: magicLink.orCode,
      action: largeCode(code),
      expiresInMinutes: codeExpiresInMinutes,
    },
  });
};

export const passwordResetTemplate: LinkTemplate = (values) =>
  linkContent(values, values.texts.passwordReset);

export const resetCodeTemplate: ResetCodeTemplate = ({ code, url, expiresInMinutes, ...values }) => {
  const { passwordReset: reset, keepSecret, ignore: unasked } = values.texts;
  const app = phrase(values, values.appName);
  const subject = reset.subject({ app });
  const ignore = sentences(values, [keepSecret, unasked]);
  const codeAction = largeCode(code);
  if (url === undefined) {
    const lead = reset.leadWithCode({ app });
    return mailContent(values, { subject, lead, action: codeAction, expiresInMinutes, ignore });
  }
  const link = linkButton(reset.button, url);
  return mailContent(values, {
    subject,
    lead: reset.leadWithBoth({ app }),
    action: { text: `${link.text}\n\n${codeAction.text}`, html: `${link.html}${codeAction.html}` },
    expiresInMinutes,
    ignore,
  });
};

export const userInviteTemplate: LinkTemplate = (values) => linkContent(values, values.texts.userInvite);

/** Sent instead of a code or link to an address without an account that may not sign up. */
export const signUpRefusedTemplate: NoticeTemplate = (values) =>
  notice(values, { ...values.texts.signUpRefused, ignore: values.texts.notYouIgnore });

// Names neither the organization nor the inviter: both words are chosen by a user, and the mail goes to a stranger.
export const orgInviteTemplate: OrgInviteTemplate = (values) => linkContent(values, values.texts.orgInvite);

export const phoneCodeTemplate: SmsTemplate = ({ code, expiresInMinutes, ...values }) => {
  const { texts } = values;
  const app = phrase(values, values.appName);
  return inGsmAlphabet(
    sentences(values, [
      texts.textMessage.code({ app, code }),
      texts.expires(inTime(values, expiresInMinutes)),
      texts.keepSecret,
    ]),
  );
};

/** One letter outside of the GSM alphabet (3GPP TS 23.038) halves what fits into a text message, and doubles its price. */
function inGsmAlphabet(text: string): string {
  return text.replace(/’/g, "'").replace(/[\u00a0\u202f]/g, ' ');
}

/** The sentences of one mail. */
interface Sentences<Values> {
  subject: (values: Values) => string;
  lead: (values: Values) => string;
  ignore?: string;
}

function codeContent(
  { code, expiresInMinutes, ...values }: Parameters<CodeTemplate>[0],
  { subject, lead, ignore }: Sentences<{ app: string; code: string }>,
): EmailContent {
  const shown = { app: phrase(values, values.appName), code };
  return mailContent(values, {
    ...{ subject: subject(shown), lead: lead(shown), action: largeCode(code), expiresInMinutes },
    ...(ignore !== undefined && { ignore }),
  });
}

function linkContent(
  { url, expiresInMinutes, ...values }: Parameters<LinkTemplate>[0],
  { button, ...about }: Sentences<{ app: string }> & { button: string },
): EmailContent {
  const action = linkButton(button, url);
  return mailContent(values, { ...shownOf(values, about), action, expiresInMinutes });
}

function notice(values: TemplateValues, about: Sentences<{ app: string }>): EmailContent {
  return mailContent(values, shownOf(values, about));
}

function shownOf(
  values: TemplateValues,
  { subject, lead, ignore }: Sentences<{ app: string }>,
): Pick<Parts, 'subject' | 'lead' | 'ignore'> {
  const app = phrase(values, values.appName);
  return { subject: subject({ app }), lead: lead({ app }), ...(ignore !== undefined && { ignore }) };
}
