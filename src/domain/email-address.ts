/**
 * Email addresses: one strict grammar, one canonical form (docs/decisions/email-addresses.md).
 * What does not fit is refused, never repaired: a parser that mends its input mends an attacker's as well.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { InvalidRequestError } from '../errors/catalog.js';

// Each quantifier is bounded by a length check before it runs, and no alternative overlaps: linear time.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const unicodeDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;

/**
 * The canonical form of an address: ASCII, lower case, domain as A-labels. Tags (`+x`) and dots are kept.
 * @throws InvalidRequestError for anything that is not an address by the strict grammar.
 */
export function parseEmailAddress(input: unknown): string {
  const address = typeof input === 'string' ? canonical(input) : null;
  if (address === null) throw new InvalidRequestError('email must be a valid email address.');
  return address;
}

/**
 * Refuses an address that no sign-in could find. For storage, which keeps addresses as they are given.
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
  // The round trip refuses whatever IDNA would map to something else: full-width forms, the Kelvin sign,
  // ligatures, number-like hosts. `domainToASCII` alone accepts and changes them.
  if (ascii === '' || (ascii !== domain && domainToUnicode(ascii) !== domain)) return null;
  const labels = ascii.split('.');
  const top = labels.at(-1) ?? '';
  if (labels.length < 2 || ascii.length > 253 || /^\d+$/.test(top)) return null;
  return labels.every((label) => label.length <= 63 && asciiLabel.test(label)) ? ascii : null;
}

// `toLowerCase` would turn the Kelvin sign into an ASCII k, and with it one address into another.
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The mailbox behind an address as most mail hosts read it: without tag and dots. Only limits use it, so that
 * one mailbox cannot be flooded through its aliases; it is never an identity.
 */
export function mailboxOf(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${(local.split('+')[0] ?? '').replaceAll('.', '')}@${domain}`;
}

/** `v***@example.com`: what a log may show. */
export function maskEmailAddress(address: string): string {
  return address.replace(/^(.).*@/, '$1***@');
}
