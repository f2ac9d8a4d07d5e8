/** The built-in mails and text messages. The layout escapes every value, and none contains an email address of a user. */
import { mailLayout, type MailParts } from './mail-layout.js';
import { inTime, phrase, sentences } from './mail-phrases.js';
import { factsOf, securityNotice } from './security-notices.js';
import type {
  AccountEvent,
  CodeTemplate,
  EmailContent,
  EventTemplate,
  LinkTemplate,
  MagicLinkTemplate,
  NoticeTemplate,
  OrgInviteTemplate,
  PhoneNoticeTemplate,
  ResetCodeTemplate,
  TemplateValues,
} from './senders/email-sender.js';
import type { SmsTemplate } from './senders/sms-sender.js';
import type { MailTexts } from './texts/en.js';

/** Why the reader gets a mail. */
type Reason = keyof MailTexts['because'];

export const codeTemplate: CodeTemplate = (values) => codeContent(values, values.texts.signInCode, 'signIn');

export const verificationTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.verification, 'address');

/**
 * Sent instead of `verificationTemplate` to an address that already has an account, if sign-ups do not reveal accounts. The code signs
 * its owner in.
 */
export const existingAccountTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.existingAccount, 'account');

/** For the second step of a sign-in. A user who gets it without signing in must know that an attacker has passed the first step. */
export const secondFactorTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.secondFactor, 'account');

/** Sent to the new address of an account. */
export const newAddressTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.newAddress, 'address');

/** Sent to the current address of an account. Its owner must know what to do if an attacker requested the change. */
export const leavingAddressTemplate: CodeTemplate = (values) =>
  codeContent(values, values.texts.leavingAddress, 'account');

/** Sent to a requested address that already has an account: informs its owner without revealing the account to the caller. */
export const addressInUseTemplate: NoticeTemplate = (values) =>
  notice(values, values.texts.addressInUse, 'account');

/** Sent instead of a code or link to an address without an account that may not sign up. */
export const signUpRefusedTemplate: NoticeTemplate = (values) =>
  notice(values, { ...values.texts.signUpRefused, ignore: values.texts.notYouIgnore }, 'signIn');

export const recoveryCodesLowTemplate: EventTemplate = (values) =>
  notice(values, values.texts.recoveryCodesLow, 'account', values.event);

export const addressChangedTemplate: EventTemplate = (values) =>
  securityNotice(values, values.texts.addressChanged);

/** Sent if `emailPassword.notifyTemplate` is true. */
export const passwordChangedTemplate: EventTemplate = (values) =>
  securityNotice(values, values.texts.passwordChanged);

/** Sent if `phoneOtp.notices` is configured. */
export const phoneChangedTemplate: PhoneNoticeTemplate = ({ change, phone, ...values }) => {
  const { subject, lead } = change === 'added' ? values.texts.phoneAdded : values.texts.phoneRemoved;
  return securityNotice(values, { subject, lead: (app) => lead({ ...app, phone: phrase(values, phone) }) });
};

export const magicLinkTemplate: MagicLinkTemplate = ({ url, expiresInMinutes, ...values }) => {
  const { code, codeExpiresInMinutes = expiresInMinutes, texts } = values;
  const { magicLink, signInCode, ignore } = texts;
  const app = phrase(values, values.appName);
  const button = { button: magicLink.button, url };
  const link = inTime(values, expiresInMinutes);
  if (code === undefined)
    return content(values, 'signIn', {
      subject: magicLink.subject({ app }),
      blocks: [
        { paragraph: magicLink.lead({ app }) },
        button,
        smallPrint(values, [texts.expires(link), ignore]),
      ],
    });
  const ofCode = inTime(values, codeExpiresInMinutes);
  const expiry = link === ofCode ? texts.bothExpire(link) : texts.linkAndCodeExpire(link, ofCode);
  return content(values, 'signIn', {
    subject: signInCode.subject({ app, code }),
    blocks: [
      { paragraph: magicLink.leadWithCode({ app }) },
      button,
      { paragraph: magicLink.orCode },
      { code },
      smallPrint(values, [expiry, texts.oneIsEnough, ignore]),
    ],
  });
};

export const passwordResetTemplate: LinkTemplate = (values) =>
  linkContent(values, values.texts.passwordReset, 'reset');

export const resetCodeTemplate: ResetCodeTemplate = ({ code, url, expiresInMinutes, ...values }) => {
  const { expires, ignore, keepSecret, passwordReset: reset } = values.texts;
  const app = phrase(values, values.appName);
  const lead = url === undefined ? reset.leadWithCode({ app }) : reset.leadWithBoth({ app });
  const print = smallPrint(values, [expires(inTime(values, expiresInMinutes)), keepSecret, ignore]);
  return content(values, 'reset', {
    subject: reset.subject({ app }),
    blocks: [
      { paragraph: lead },
      ...(url === undefined ? [] : [{ button: reset.button, url }]),
      { code },
      print,
    ],
  });
};

export const userInviteTemplate: LinkTemplate = (values) =>
  linkContent(values, values.texts.userInvite, 'invite');

// Names neither the organization nor the inviter: both words are chosen by a user, and the mail goes to a stranger.
export const orgInviteTemplate: OrgInviteTemplate = (values) =>
  linkContent(values, values.texts.orgInvite, 'invite');

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
  /** What a reader can do who did not cause the mail. Default: ignore it. */
  ignore?: string;
}

function codeContent(
  { code, expiresInMinutes, ...values }: Parameters<CodeTemplate>[0],
  { subject, lead, ignore = values.texts.ignore }: Sentences<{ app: string; code: string }>,
  reason: Reason,
): EmailContent {
  const shown = { app: phrase(values, values.appName), code };
  const print = smallPrint(values, [values.texts.expires(inTime(values, expiresInMinutes)), ignore]);
  return content(values, reason, {
    subject: subject(shown),
    // The subject says what the code is for, mostly with the code.
    preview: print.note,
    blocks: [{ paragraph: lead(shown) }, { code }, print],
  });
}

function linkContent(
  { url, expiresInMinutes, ...values }: Parameters<LinkTemplate>[0],
  { button, subject, lead, ignore = values.texts.ignore }: Sentences<{ app: string }> & { button: string },
  reason: Reason,
): EmailContent {
  const app = phrase(values, values.appName);
  const print = smallPrint(values, [values.texts.expires(inTime(values, expiresInMinutes)), ignore]);
  return content(values, reason, {
    subject: subject({ app }),
    blocks: [{ paragraph: lead({ app }) }, { button, url }, print],
  });
}

function notice(
  values: TemplateValues,
  { subject, lead, ignore = values.texts.ignore }: Sentences<{ app: string }>,
  reason: Reason,
  event?: AccountEvent,
): EmailContent {
  const app = phrase(values, values.appName);
  return content(values, reason, {
    subject: subject({ app }),
    blocks: [{ paragraph: lead({ app }) }, ...(event ? [factsOf(values, event)] : []), { note: ignore }],
  });
}

function content(values: TemplateValues, reason: Reason, parts: Omit<MailParts, 'reason'>): EmailContent {
  const app = phrase(values, values.appName);
  return mailLayout(values, { ...parts, reason: values.texts.because[reason]({ app }) });
}

function smallPrint(values: TemplateValues, list: readonly string[]): { note: string } {
  return { note: sentences(values, list) };
}
