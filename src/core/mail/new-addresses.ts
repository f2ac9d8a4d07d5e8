/**
 * Mails to an address that a user wants for an account: a code, or a notice if the address has an account. The caller of a request
 * learns neither (docs/decisions/email-change.md).
 */
import type { CodePurpose } from '../../domain/one-time-code.js';
import type { CodeMail, CodeMailer } from './code-mailer.js';
import { addressInUseTemplate, verificationTemplate } from './email-templates.js';
import type { Reader } from './languages.js';
import type { Mailer } from './mailer.js';
import type { IssuedCode } from './one-time-codes.js';
import type { CodeTemplate, NoticeTemplate } from './senders/email-sender.js';

export interface NewAddressMail extends CodeMail {
  addressInUseTemplate: NoticeTemplate;
}

/** Sends one mail in either case: neither the time nor a failure of the sender or of a template distinguishes them. @throws EmailSendError */
export async function mailNewAddress(
  { codeMailer, mailer }: { codeMailer: CodeMailer; mailer: Mailer },
  purpose: CodePurpose,
  address: string,
  issued: IssuedCode,
  { addressInUseTemplate: forOwner, template: forNew, ...mail }: NewAddressMail,
  isInUse: boolean,
  reader: Reader,
): Promise<void> {
  const template: CodeTemplate = (values) =>
    mailer.withFallback(
      (base) => forNew({ ...values, ...base }),
      (base) => verificationTemplate({ ...values, ...base }),
    )(values);
  if (!isInUse) return codeMailer.sendCode(purpose, address, issued, { ...mail, template }, reader);
  const render = mailer.withFallback(forOwner, addressInUseTemplate);
  await mailer.sendMail('notice', address, mail, render, reader, issued.discard);
}

/** Returns what a code of a change of address is bound to: with the epoch, so that a sign-out everywhere cancels the request. */
export function emailChangeBinding(email: string | null, newEmail: string, epoch: number): string[] {
  return [email ?? '', newEmail, String(epoch)];
}
