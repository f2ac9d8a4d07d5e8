/** The inputs of the methods on device sessions, guests and impersonation. */
import * as z from 'zod';
import { deviceInput, metadataInput, unchecked, userIdInput } from '../../core/support/input-types.js';
import { lazily } from '../../runtime/load.js';

export const newSession = lazily(() =>
  z.object({
    userId: userIdInput(),
    device: deviceInput(),
    ttlMs: z.number().optional(),
  }),
);
export type NewSession = z.infer<ReturnType<typeof newSession>>;

export const newGuest = lazily(() => z.object({ device: deviceInput(), metadata: metadataInput() }));
export type NewGuest = z.infer<ReturnType<typeof newGuest>>;

export const guestUpgrade = lazily(() =>
  z.object({
    userId: userIdInput(),
    provider: z.string(),
    providerAccountId: z.string(),
    email: z.string().optional(),
    /** Accepted only for an identity provider that the configuration enables; otherwise treated as false. */
    emailVerified: unchecked<boolean>().optional(),
  }),
);
export type GuestUpgradeInput = z.infer<ReturnType<typeof guestUpgrade>>;

export const impersonationOptions = lazily(() =>
  z.object({
    expiresInSec: z.number().default(15 * 60),
    reason: z.string().optional(),
    sessionToken: unchecked<string>().optional(),
  }),
);
export type ImpersonationOptions = z.input<ReturnType<typeof impersonationOptions>>;
