/** A user's account at an identity provider, and what such a provider says of a person. */
import { InvalidRequestError } from '../errors/catalog.js';
import { parsePhoneNumber } from './phone-number.js';

/** The provider of identities that are phone numbers in E.164. No identity provider can have this name. */
export const phoneProvider = 'phone';

/** Link between a user and an account elsewhere, unique by (provider, providerAccountId). */
export interface ServiceIdentity {
  id: string;
  userId: string;
  provider: string;
  /** The provider's own, never reassigned identifier: the `sub` of its ID token. */
  providerAccountId: string;
  createdAt: Date;
}

export interface IdentityProfile {
  id: string;
  email: string | null;
  /** True only where the provider says so itself, as a boolean. */
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  /** All claims, as the provider gave them. */
  raw: Record<string, unknown>;
}

/**
 * Returns the id of an account at a provider as it is stored. A phone number is brought into the one form that a sign-in by
 * text message looks up, or it would have two owners.
 * @throws InvalidRequestError
 */
export function parseAccountId(provider: unknown, providerAccountId: unknown): string {
  if (!isName(provider) || !isName(providerAccountId)) {
    throw new InvalidRequestError(
      'provider and providerAccountId must be strings of 1 to 255 characters on one line.',
    );
  }
  return provider === phoneProvider ? parsePhoneNumber(providerAccountId).e164 : providerAccountId;
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(name);
}
