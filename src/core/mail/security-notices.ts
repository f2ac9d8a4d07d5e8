/** The built-in notices of changes of an account and of sign-ins, with the link that undoes them. */
import type { MailBlock } from './mail-blocks.js';
import { mailLayout } from './mail-layout.js';
import { phrase } from './mail-phrases.js';
import type {
  AccountChange,
  AccountEvent,
  AccountNoticeTemplate,
  EmailContent,
  TemplateValues,
} from './senders/email-sender.js';
import type { MailTexts } from './texts/en.js';

type Sentence = (values: { app: string; about: string }) => string;

const subjects: Readonly<Record<AccountChange, (texts: MailTexts) => Sentence>> = {
  password_added: ({ changes }) => changes.passwordAdded,
  password_changed: ({ passwordChanged }) => passwordChanged.subject,
  password_reset: ({ changes }) => changes.passwordReset,
  password_set: ({ changes }) => changes.passwordSet,
  passkey_added: ({ changes }) => changes.passkeyAdded,
  passkey_removed: ({ changes }) => changes.passkeyRemoved,
  totp_enabled: ({ changes }) => changes.twoFactorEnabled,
  totp_disabled: ({ changes }) => changes.twoFactorDisabled,
  totp_app_added: ({ changes }) => changes.appAdded,
  totp_app_removed: ({ changes }) => changes.appRemoved,
  recovery_codes_replaced: ({ changes }) => changes.recoveryCodesReplaced,
  email_factor_enabled: ({ changes }) => changes.emailCodesEnabled,
  email_factor_disabled: ({ changes }) => changes.emailCodesDisabled,
  identity_linked: ({ changes }) => changes.identityLinked,
  identity_unlinked: ({ changes }) => changes.identityUnlinked,
  phone_added: ({ phoneAdded }) => phoneAdded.subject,
  phone_removed: ({ phoneRemoved }) => phoneRemoved.subject,
  username_changed: ({ changes }) => changes.usernameChanged,
  address_changed: ({ changes }) => changes.addressChanged,
  address_removed: ({ addressChanged }) => addressChanged.subject,
  api_key_created: ({ changes }) => changes.apiKeyCreated,
  trusted_browser_added: ({ changes }) => changes.browserTrusted,
  new_device: ({ changes }) => changes.newSignIn,
};

export const accountNoticeTemplate: AccountNoticeTemplate = ({ change, about, ...values }) => {
  const { addressChanged, changes, phoneAdded, phoneRemoved } = values.texts;
  const names = { app: phrase(values, values.appName), about: phrase(values, about ?? '') };
  const sentence = subjects[change](values.texts)(names);
  const leads: Partial<Record<AccountChange, () => string>> = {
    new_device: () => changes.newSignInLead(names),
    address_removed: () => addressChanged.lead(names),
    phone_added: () => phoneAdded.lead({ ...names, phone: names.about }),
    phone_removed: () => phoneRemoved.lead({ ...names, phone: names.about }),
  };
  const lead = leads[change]?.() ?? sentence + changes.endOfSentence;
  return securityNotice(values, { subject: () => sentence, lead: () => lead });
};

/** A notice with its facts and what a reader can do who has not made the change. */
export function securityNotice(
  values: TemplateValues & { event: AccountEvent },
  {
    subject,
    lead,
  }: { subject: (values: { app: string }) => string; lead: (values: { app: string }) => string },
): EmailContent {
  const { brand, event, texts } = values;
  const app = phrase(values, values.appName);
  const { notMeUrl } = event;
  const remedy: MailBlock[] =
    notMeUrl === undefined
      ? [{ note: texts.notYouContactSupport }]
      : [{ paragraph: texts.notMe.advice }, { button: texts.notMe.button, url: notMeUrl }];
  return mailLayout(
    { brand, language: values.language, texts },
    {
      subject: subject({ app }),
      blocks: [{ paragraph: lead({ app }) }, factsOf(values, event), ...remedy],
      reason: texts.because.account({ app }),
    },
  );
}

export function factsOf({ texts }: TemplateValues, { time, device, place }: AccountEvent): MailBlock {
  const { event } = texts;
  const facts = [
    [event.time, time],
    [event.device, device],
    [event.place, place],
  ] as const;
  return { facts: facts.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const])) };
}
