/** The names of identity providers: every library has its own. */
import type { ImportedIdentity } from '../../domain/imported-user.js';
import type { MapContext } from './source.js';
import { asId, asText, asTime } from './values.js';

const usualNames: Readonly<Record<string, string>> = {
  'https://accounts.google.com': 'google',
  'accounts.google.com': 'google',
  'google.com': 'google',
  'google-oauth2': 'google',
  google_oauth2: 'google',
  'google-oauth20': 'google',
  'facebook.com': 'facebook',
  'github.com': 'github',
  'apple.com': 'apple',
  'microsoft.com': 'microsoft',
  'twitter.com': 'twitter',
  'https://www.facebook.com': 'facebook',
  'linkedin-openid-connect': 'linkedin',
};

/** Accounts that are passwords or mailed links, and not identities. */
const notIdentities = new Set([
  'credential',
  'credentials',
  'email',
  'emailpassword',
  'local',
  'password',
  'phone',
  'sms',
  'username',
  'auth0',
  'anonymous',
  'nodemailer',
  'resend',
  'sendgrid',
  'emaillink',
]);

/** Returns an identity under the name that the configuration gives its provider. Null if it is not one. */
export function identity(
  provider: unknown,
  providerAccountId: unknown,
  context: MapContext,
  createdAt?: unknown,
): ImportedIdentity | null {
  const [name, id] = [asText(provider), asId(providerAccountId)];
  const plain = (name ?? '').replace(/^oauth_/, '');
  if (name === null || notIdentities.has(plain.toLowerCase())) return null;
  if (id === null) {
    context.omit('identities without the id that their provider gave');
    return null;
  }
  const usual = Object.hasOwn(usualNames, plain.toLowerCase()) ? usualNames[plain.toLowerCase()] : undefined;
  const own = Object.hasOwn(context.providers, name) ? context.providers[name] : undefined;
  const time = asTime(createdAt);
  return { provider: own ?? usual ?? plain, providerAccountId: id, ...(time && { createdAt: time }) };
}

export const isIdentity = (value: ImportedIdentity | null): value is ImportedIdentity => value !== null;
