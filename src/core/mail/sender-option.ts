/** The option of every provider that mails. */
import * as z from 'zod';
import { lazily } from '../../runtime/load.js';
import { hasMethod } from '../support/has-method.js';
import type { EmailSender } from './senders/email-sender.js';

export const senderOption = lazily(() =>
  z.custom<EmailSender>(
    (value) => hasMethod(value, 'send'),
    'must be a sender, an object with send(message): smtpSender(…) or consoleSender(), for example',
  ),
);
