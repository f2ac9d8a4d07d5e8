/** A user's account at an identity provider, and the profile that the provider returns. */
import { InvalidRequestError } from '../errors/catalog.js';
import { isMadeOfNothing } from './external-id.js';
import { parsePhoneNumber } from './phone-number.js';
import { isStorableText } from './storable-text.js';

/**
 * The provider of identities that are phone numbers in E.164. No identity provider can have this
 * name.
 */
export const phoneProvider = 'phone';

/** Link between a user and an account at a provider, unique by (provider, providerAccountId). */
export interface ServiceIdentity {
  id: string;
  userId: string;
  provider: string;
  /** The identifier that the provider assigned and never reassigns: the `sub` of its ID token. */
  providerAccountId: string;
  createdAt: Date;
}

export interface IdentityProfile {
  id: string;
  email: string | null;
  /** True only if the provider states it, as a boolean. */
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  /** All claims, as the provider returned them. */
  raw: Record<string, unknown>;
}

/** The part of a profile that describes a person. */
export interface PersonProfile {
  readonly name: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly picture: string | null;
  readonly locale: string | null;
}

/** The profile of a user who signs up with an identity provider. */
export type SignUpProfile = Readonly<IdentityProfile & PersonProfile>;

/**
 * Adds the claims of OpenID Connect Core, 5.1, to a profile. Values that the storage would refuse are
 * null.
 */
export function toSignUpProfile(profile: IdentityProfile): SignUpProfile {
  return { ...profile, ...toPersonProfile(profile) };
}

/** Returns the part of a profile that the event `user.created` contains. */
export function toPersonProfile({ name, picture, raw }: IdentityProfile): PersonProfile {
  return Object.freeze({
    name: shortText(name),
    givenName: shortText(raw['given_name']),
    familyName: shortText(raw['family_name']),
    picture: shortText(picture),
    locale: shortText(raw['locale']),
  });
}

/** A picture can be a whole image in a `data:` URL, which is too long for metadata and events. */
const maxTextLength = 2_000;

function shortText(value: unknown): string | null {
  const isShort = typeof value === 'string' && value !== '' && value.length <= maxTextLength;
  return isShort && isStorableText(value) ? value : null;
}

/**
 * Returns the account id in the form in which it is stored. A phone number is converted to E.164,
 * the form that a sign-in by text message looks up; otherwise one number could have two owners.
 * @throws InvalidRequestError
 */
export function parseAccountId(provider: unknown, providerAccountId: unknown): string {
  if (!isName(provider) || !isName(providerAccountId)) {
    throw new InvalidRequestError(
      'provider and providerAccountId must be strings of 1 to 255 characters on one line, and not made of a missing value.',
    );
  }
  return provider === phoneProvider ? parsePhoneNumber(providerAccountId).e164 : providerAccountId;
}

function isName(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > 255 || /[\p{Cc}\p{Cs}]/u.test(name)) return false;
  return !isMadeOfNothing(name);
}
