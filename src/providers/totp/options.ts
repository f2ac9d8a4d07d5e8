/** The options of the second factor: it has none, so `true` enables it. */
import * as z from 'zod';
import { orTrue } from '../../core/support/option-types.js';
import type { Toolkit } from '../../core/toolkit.js';

export const totpOptions = orTrue(z.strictObject({})).meta({
  title: 'Two factors',
  description: 'A second factor by an authenticator app: [two factors](providers/totp.md).',
});

export type TotpTools = Pick<
  Toolkit,
  | 'clock'
  | 'encryptionKeys'
  | 'events'
  | 'limiter'
  | 'logger'
  | 'mailer'
  | 'secondFactor'
  | 'sessions'
  | 'signIn'
  | 'storage'
>;
