/** Every built-in mail, with values that fill each of its places. */
import * as templates from '../../src/core/mail/email-templates.js';
import { accountNoticeTemplate } from '../../src/core/mail/security-notices.js';
import type { AccountEvent, EmailContent } from '../../src/core/mail/senders/email-sender.js';
import type { MailTexts } from '../../src/core/mail/texts/en.js';
import type { Brand } from '../../src/core/support/brand.js';

/** A brand that has only a name. */
export function plainBrand(name: string): Brand {
  return { name, logo: null, accent: null, supportUrl: null, mailLogo: null };
}

const url = 'https://app.acme.test/auth/verify?token=eyJhbGciOiJIUzI1NiJ9.c2FtcGxlLXRva2Vu.4pXwQ_1vR5mY0sT';

export interface NamedMail extends EmailContent {
  name: string;
}

/** Returns each mail in each of its forms. @param event what the notices say about the change. */
export function everyMail(
  { brand, language, texts }: { brand: Brand; language: string; texts: MailTexts },
  event: AccountEvent,
): NamedMail[] {
  const base = { appName: brand.name, brand, language, texts };
  const code = { ...base, code: '012345', expiresInMinutes: 10 };
  const link = { ...base, url, expiresInMinutes: 15 };
  const change = { ...base, event };
  const linked = { ...base, event: { ...event, notMeUrl: url } };
  const phone = { ...change, phone: '+49••••••12' };
  const mails: Record<string, EmailContent> = {
    'sign-in-code': templates.codeTemplate(code),
    verification: templates.verificationTemplate(code),
    'existing-account': templates.existingAccountTemplate(code),
    'second-factor': templates.secondFactorTemplate(code),
    'new-address': templates.newAddressTemplate(code),
    'leaving-address': templates.leavingAddressTemplate(code),
    'address-in-use': templates.addressInUseTemplate(base),
    'sign-up-refused': templates.signUpRefusedTemplate(base),
    'recovery-codes-low': templates.recoveryCodesLowTemplate(change),
    'address-changed': templates.addressChangedTemplate(change),
    'password-changed': templates.passwordChangedTemplate(change),
    'phone-added': templates.phoneChangedTemplate({ ...phone, change: 'added' }),
    'phone-removed': templates.phoneChangedTemplate({ ...phone, change: 'removed' }),
    'new-device': accountNoticeTemplate({ ...linked, change: 'new_device', about: null }),
    'identity-linked': accountNoticeTemplate({ ...linked, change: 'identity_linked', about: 'GitHub' }),
    'magic-link': templates.magicLinkTemplate(link),
    'magic-link-with-code': templates.magicLinkTemplate({ ...link, ...code, codeExpiresInMinutes: 10 }),
    'password-reset': templates.passwordResetTemplate(link),
    'reset-code': templates.resetCodeTemplate(code),
    'reset-link-and-code': templates.resetCodeTemplate({ ...link, ...code }),
    'user-invite': templates.userInviteTemplate({ ...link, expiresInMinutes: 7 * 1440 }),
    'org-invite': templates.orgInviteTemplate({
      ...link,
      ...{ expiresInMinutes: 7 * 1440, organization: 'Chosen by a user', role: 'member', inviter: null },
    }),
  };
  return Object.entries(mails).map(([name, mail]) => ({ name, ...mail }));
}
