/** The options of the account provider. */
import {
  addressChangedTemplate,
  addressInUseTemplate,
  leavingAddressTemplate,
  newAddressTemplate,
  verificationTemplate,
} from '../../kit/email-templates.js';
import { from, functionOption, orTrue, senderOption } from '../../kit/option-types.js';
import type { CodeTemplate, NoticeTemplate } from '../../kit/senders/email-sender.js';
import type { Zod } from '../../runtime/load.js';

export const accountOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** Delivers codes for addresses of accounts. Needed for their verification and their change only. */
      sender: senderOption(z).optional(),
      /** Overrides the sender's From. */
      from: from(z),
      /** Makes the mail that confirms the address of an account, from `{ code, expiresInMinutes, appName }`. */
      verificationTemplate: functionOption<CodeTemplate>(z).default(() => verificationTemplate),
      /** Makes the mail to the address that an account is to have, from the same. */
      newAddressTemplate: functionOption<CodeTemplate>(z).default(() => newAddressTemplate),
      /** Makes the mail to the address that it has, from the same: it says what to do for who did not ask. */
      leavingAddressTemplate: functionOption<CodeTemplate>(z).default(() => leavingAddressTemplate),
      /** Makes the mail to a new address that has an account already, from `{ appName }`. It has no code. */
      addressInUseTemplate: functionOption<NoticeTemplate>(z).default(() => addressInUseTemplate),
      /** Makes the notice to the address that an account had, from `{ appName }`. */
      addressChangedTemplate: functionOption<NoticeTemplate>(z).default(() => addressChangedTemplate),
    }),
  );

export type AccountOptions = ReturnType<ReturnType<typeof accountOptions>['parse']>;
