/**
 * Email addresses: one strict grammar, one canonical form (docs/decisions/email-addresses.md).
 * Malformed addresses are rejected, never repaired: a parser that repairs its input also repairs an
 * attacker's.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { InvalidRequestError } from '../errors/catalog.js';

// Each quantifier is bounded by a length check before it runs, and no alternative overlaps: linear
// time.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const unicodeDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;

/**
 * Returns the canonical form of an address: ASCII, lower case, domain as A-labels. Tags (`+x`) and
 * dots are kept.
 * @throws InvalidRequestError if the input is not an address by the strict grammar.
 */
export function parseEmailAddress(input: unknown): string {
  const address = typeof input === 'string' ? canonical(input) : null;
  if (address === null) throw new InvalidRequestError('email must be a valid email address.');
  return address;
}

/**
 * Rejects an address that no sign-in could find. For the storage, which stores addresses unchanged.
 * @throws InvalidRequestError unless the address is null or in canonical form.
 */
export function assertCanonicalEmail(email: string | null): void {
  if (email !== null && parseEmailAddress(email) !== email)
    throw new InvalidRequestError('email must be in canonical form: see canonicalEmail().');
}

function canonical(input: string): string | null {
  if (input.length > 320) return null;
  const text = asciiLowerCase(input.replace(/^ +| +$/g, ''));
  const at = text.indexOf('@');
  if (at < 1 || at > 64 || at !== text.lastIndexOf('@')) return null;
  const local = text.slice(0, at);
  const domain = canonicalDomain(text.slice(at + 1));
  // `=?` would start an encoded word in a mail header (RFC 2047).
  if (domain === null || !localPart.test(local) || local.includes('=?')) return null;
  const address = `${local}@${domain}`;
  return address.length <= 254 ? address : null;
}

function canonicalDomain(domain: string): string | null {
  if (!unicodeDomain.test(domain)) return null;
  const ascii = domainToASCII(domain);
  // The round trip rejects every domain that IDNA would map to another one: full-width forms, the
  // Kelvin sign, ligatures, number-like hosts. `domainToASCII` alone accepts and changes them.
  if (ascii === '' || (ascii !== domain && domainToUnicode(ascii) !== domain)) return null;
  const labels = ascii.split('.');
  const top = labels.at(-1) ?? '';
  if (labels.length < 2 || ascii.length > 253 || /^\d+$/.test(top)) return null;
  return labels.every((label) => label.length <= 63 && asciiLabel.test(label)) ? ascii : null;
}

// `toLowerCase` would turn the Kelvin sign into an ASCII k, and so one address into another.
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Returns the mailbox of an address as most mail hosts interpret it: without tag and dots. Only
 * rate limits use it, so that one mailbox cannot be flooded through its aliases. It never
 * identifies a user.
 */
export function mailboxOf(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${(local.split('+')[0] ?? '').replaceAll('.', '')}@${domain}`;
}

/** Returns the address as logs may show it, such as `v***@example.com`. */
export function maskEmailAddress(address: string): string {
  return address.replace(/^(.).*@/, '$1***@');
}
