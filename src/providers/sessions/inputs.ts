/** The inputs of the methods on device sessions, guests and impersonation. */
import * as z from 'zod';
import { InvalidRequestError } from '../../errors/catalog.js';
import { toSignUpProfile, type SignUpProfile } from '../../domain/identity.js';
import { deviceKinds } from '../../domain/signed-in-device.js';
import type { TokenPair } from '../../domain/refresh-family.js';
import type { ServiceUser } from '../../domain/user.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import {
  challengeSolutionInput,
  deviceInput,
  fieldsInput,
  metadataInput,
  unchecked,
  userIdInput,
} from '../../core/support/input-types.js';
import { lazily } from '../../runtime/load.js';

export const newSession = lazily(() =>
  z.object({
    userId: userIdInput(),
    device: deviceInput(),
    ttlMs: z.number().optional(),
    remember: z.boolean().optional(),
  }),
);
export type NewSession = z.infer<ReturnType<typeof newSession>>;

export const listedDevice = lazily(() => z.object({ kind: z.enum(deviceKinds), id: z.string() }));

export const newGuest = lazily(() =>
  z.object({
    device: deviceInput(),
    metadata: metadataInput(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export type NewGuest = z.infer<ReturnType<typeof newGuest>>;

export const guestUpgrade = lazily(
  () =>
    z.object({
      userId: userIdInput(),
      provider: z.string(),
      providerAccountId: z.string(),
      email: z.string().optional(),
      emailVerified: unchecked<boolean>().optional(),
      fields: fieldsInput(),
      profile: z
        .object({
          id: z.string(),
          email: z.string().nullable(),
          emailVerified: z.boolean(),
          name: z.string().nullable(),
          picture: z.string().nullable(),
          raw: z.record(z.string(), z.unknown()),
        })
        .optional(),
    }) satisfies z.ZodType<GuestUpgradeInput>,
);
/** The identity that a guest signs in with from now on. */
export interface GuestUpgradeInput {
  userId: string;
  provider: string;
  providerAccountId: string;
  email?: string | undefined;
  /** The fields of `signUp.fields`. */
  fields?: Record<string, unknown> | undefined;
  /** Accepted only for an identity provider that the configuration enables; otherwise treated as false. */
  emailVerified?: boolean | undefined;
  /** As `verify` and `getUser` of the provider return it, for `signUp.allow`. */
  profile?:
    | {
        id: string;
        email: string | null;
        emailVerified: boolean;
        name: string | null;
        picture: string | null;
        raw: Record<string, unknown>;
      }
    | undefined;
}

/** @throws InvalidRequestError if the profile is that of another account at the provider. */
export function profileOf({ profile, providerAccountId }: GuestUpgradeInput): SignUpProfile | undefined {
  if (profile === undefined) return undefined;
  if (profile.id !== providerAccountId)
    throw new InvalidRequestError('profile.id must be providerAccountId.', { field: 'profile' });
  return toSignUpProfile(profile);
}

export const impersonationOptions = lazily(() =>
  z.object({
    expiresInSec: z.number().default(15 * 60),
    reason: z.string().optional(),
    sessionToken: unchecked<string>().optional(),
  }),
);
export type ImpersonationOptions = z.input<ReturnType<typeof impersonationOptions>>;

/** A guest, with a session or with the tokens of a bearer session. */
export type GuestSignIn = { user: ServiceUser } & Partial<IssuedSession> & { bearer?: TokenPair };
