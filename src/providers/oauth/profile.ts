/** Maps the data of a provider to a profile. */
import { externalIdOf } from '../../domain/external-id.js';
import { toSignUpProfile, type IdentityProfile, type SignUpProfile } from '../../domain/identity.js';
import { parseMetadata } from '../../domain/metadata.js';
import { withTimeout } from '../../core/support/timeouts.js';
import type { Exchanged } from './connection.js';

/** What `mapProfile` returns. Omitted fields are null, and the address unverified. */
export interface MappedProfile {
  /**
   * The provider's own, never reassigned identifier: 1 to 255 printable ASCII characters, or an integer. A missing value is refused, and so
   * is what `String` makes of it, such as `undefined`.
   */
  id: string | number | bigint;
  email?: string | null | undefined;
  /** Counts only as `true`. */
  emailVerified?: boolean | undefined;
  name?: string | null | undefined;
  picture?: string | null | undefined;
}

export type MapProfile = (raw: Record<string, unknown>) => MappedProfile | Promise<MappedProfile>;

/** Returns what the metadata of a new user keeps of the profile. */
export type ProfileToMetadata = (
  profile: SignUpProfile,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** `true` keeps name and picture. Every error in a function refuses the sign-in. @throws Error */
export async function metadataOf(
  profile: IdentityProfile,
  option: ProfileToMetadata | boolean | undefined,
): Promise<Record<string, unknown>> {
  if (!option) return {};
  const described = toSignUpProfile(profile);
  if (option === true) {
    const kept = Object.entries({ name: described.name, picture: described.picture });
    return Object.fromEntries(kept.filter(([, value]) => value !== null));
  }
  const metadata: unknown = await withTimeout(option(described), 'profileToMetadata');
  if (metadata === undefined) throw new Error('profileToMetadata returned no object.');
  return parseMetadata(metadata);
}

/** The claims of the address and of its verification (`xms_edov`: the preset microsoft). */
const addressClaims = ['email', 'email_verified', 'xms_edov'];

/**
 * Merges all claims of the provider. The address and its verification come from the same source: an ID token without an address
 * may mark another one as verified, which would let its owner into another user's account.
 */
function everything({ claims, contact }: Exchanged): Record<string, unknown> {
  const ofAddress = Object.entries(contact).filter(([name]) => addressClaims.includes(name));
  const others = Object.entries(claims).filter(([name]) => !addressClaims.includes(name));
  return Object.fromEntries([...Object.entries(contact), ...others, ...ofAddress]);
}

/** By the claims of OpenID Connect Core, 5.1. @throws Error without a valid subject. */
export async function standardProfile(exchanged: Exchanged): Promise<IdentityProfile> {
  const { claims, contact } = exchanged;
  const raw = everything(exchanged);
  return {
    // Providers without OpenID name it `id`, often as a number.
    id: checkedId(claims['sub'] ?? claims['id']),
    email: textOf(contact['email']),
    // Only the boolean: some providers send the string "false".
    emailVerified: contact['email_verified'] === true,
    name: textOf(raw['name']),
    picture: textOf(raw['picture']),
    raw,
  };
}

/** Maps with `mapProfile`; every error in it refuses the sign-in. @throws Error */
export async function mappedProfile(exchanged: Exchanged, mapProfile: MapProfile): Promise<IdentityProfile> {
  const raw = everything(exchanged);
  const mapped: unknown = await withTimeout(mapProfile(raw), 'mapProfile');
  if (typeof mapped !== 'object' || mapped === null) throw new Error('mapProfile returned no object.');
  const { id, email, emailVerified, name, picture } = mapped as Record<keyof MappedProfile, unknown>;
  return {
    id: checkedId(id),
    email: optionalText('email', email),
    emailVerified: emailVerified === true,
    name: optionalText('name', name),
    picture: optionalText('picture', picture),
    raw,
  };
}

function checkedId(id: unknown): string {
  const parsed = externalIdOf(id);
  if (parsed === null) throw new Error('The identifier of the user is missing or invalid.');
  return parsed;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function optionalText(field: string, value: unknown): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value ?? null;
  throw new Error(`mapProfile returned a ${field} that is not a string.`);
}
