/** The options of device sessions, guests and impersonation. */
import * as z from 'zod';
import type { ServiceUser } from '../../domain/user.js';
import { functionOption, orTrue } from '../../core/support/option-types.js';
import { lazily } from '../../runtime/load.js';

type CanImpersonate = (admin: ServiceUser, target: ServiceUser) => boolean | Promise<boolean>;
export const sessionsOptions = lazily(() =>
  orTrue(
    z.strictObject({
      canImpersonate: functionOption<CanImpersonate>()
        .optional()
        .describe('Whether an administrator may impersonate a user. If absent, impersonation is refused.'),
      guests: z
        .boolean()
        .default(true)
        .describe(
          'Whether visitors can become guests. If false, no new guest is created; existing ones stay.',
        ),
    }),
  ).meta({
    title: 'Device sessions',
    description: 'Device sessions, guests and impersonation: [sessions](providers/sessions.md).',
  }),
);

export type SessionsOptions = z.output<ReturnType<typeof sessionsOptions>>;
