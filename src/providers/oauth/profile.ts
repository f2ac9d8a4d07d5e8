/** From what a provider says to a profile. */
import type { IdentityProfile } from '../../domain/identity.js';
import { inTime } from '../../kit/in-time.js';
import type { Exchanged } from './connection.js';
import { oauthFailure } from './failure.js';

/** What `mapProfile` returns. What is left out is null, and the address not verified. */
export interface MappedProfile {
  /** The provider's own, never reassigned identifier: 1 to 255 printable ASCII characters. */
  id: string;
  email?: string | null | undefined;
  /** Counts only as `true`. */
  emailVerified?: boolean | undefined;
  name?: string | null | undefined;
  picture?: string | null | undefined;
}

export type MapProfile = (raw: Record<string, unknown>) => MappedProfile | Promise<MappedProfile>;

/** What says where somebody's mail goes, and whether that is proven (`xms_edov`: the preset microsoft). */
const addressClaims = ['email', 'email_verified', 'xms_edov'];

/**
 * Everything that the provider said. Of the address and its proof only what came with the address: an ID token that names none
 * may call another one verified, and the proof of that one would let its owner into somebody else's account.
 */
function everything({ claims, contact }: Exchanged): Record<string, unknown> {
  const ofAddress = Object.entries(contact).filter(([name]) => addressClaims.includes(name));
  const others = Object.entries(claims).filter(([name]) => !addressClaims.includes(name));
  return Object.fromEntries([...Object.entries(contact), ...others, ...ofAddress]);
}

/** By the claims of OpenID Connect Core, 5.1. @throws OAuthError without a subject that can be kept. */
export function standardProfile(exchanged: Exchanged): IdentityProfile {
  const { claims, contact } = exchanged;
  const raw = everything(exchanged);
  return {
    id: checkedId(claims['sub'] ?? idOf(claims)),
    email: textOf(contact['email']),
    // The boolean and nothing like it: some providers send the text "false".
    emailVerified: contact['email_verified'] === true,
    name: textOf(raw['name']),
    picture: textOf(raw['picture']),
    raw,
  };
}

/** By `mapProfile`, whose faults are the provider's or the application's, never a reason to let somebody in. @throws OAuthError */
export async function mappedProfile(exchanged: Exchanged, mapProfile: MapProfile): Promise<IdentityProfile> {
  const raw = everything(exchanged);
  try {
    const mapped: unknown = await inTime(mapProfile(raw), 'mapProfile');
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
  } catch (error) {
    throw oauthFailure(error);
  }
}

// OpenID Connect Core, 2: at most 255 ASCII characters. A longer one would be no key to store.
function checkedId(id: unknown): string {
  if (typeof id === 'string' && /^[\x20-\x7e]{1,255}$/.test(id)) return id;
  throw oauthFailure(new Error('The provider sent an invalid subject.'));
}

/** Providers without OpenID name it `id`, often as a number. One that JavaScript cannot tell from its neighbour is none. */
function idOf({ id }: Record<string, unknown>): unknown {
  return Number.isSafeInteger(id) ? String(id) : id;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function optionalText(field: string, value: unknown): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value ?? null;
  throw new Error(`mapProfile returned a ${field} that is no text.`);
}
