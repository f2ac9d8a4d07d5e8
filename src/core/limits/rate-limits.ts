/** Defines the limits of guesses, sign-ins and new records (docs/decisions/limits.md). */
import { canonicalClientAddress, isClient } from '../../domain/client-address.js';
import { networkOf } from '../../domain/client-network.js';
import { isLongCode } from '../../domain/one-time-code.js';
import type { RateLimitHit } from '../../storage/rate-limit-repository.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** At most `max` attempts per window with this `name` and `subject`. */
export interface RateLimit extends Omit<RateLimitHit, 'key' | 'max'> {
  name: string;
  subject: string;
  max: number;
  /** True if the limit counts the caller (a client or a known device) rather than the subject of the attempt. */
  isCaller?: boolean;
  /** True if a refusal paces or decides something, and refuses no one: it is not reported as `limit.exceeded`. */
  isPace?: boolean;
  /** Limits to consume instead if this one refuses. */
  orElse?: readonly RateLimit[];
  /**
   * Name of a limit of the same attempt that counts every hit of this one, and more. If it has counted fewer, it was reset since then, and
   * this one is reset too: its subject need not be known to reset it.
   */
  resetWith?: string;
}

export interface RateLimitRule {
  max: number;
  windowMs: number;
}

export interface LoginLimits {
  perAddressAndIp: RateLimitRule;
  perAddress: RateLimitRule;
  perIp: RateLimitRule;
}

export interface SignUpLimits {
  perIp: RateLimitRule;
  perNetwork: RateLimitRule;
}

/** Limits passkey challenges, which need no session: each is a row for five minutes. */
export function challengeLimits(ip?: string): RateLimit[] {
  return perIp('challenge:ip', ip, { max: 200, windowMs: 15 * minute });
}

/** Limits passkey challenges for the suggestions of a form: every visit of a page requests one, and many people share an address. */
export function autofillLimits(ip?: string): RateLimit[] {
  return perIp('challenge-autofill:ip', ip, { max: 2_000, windowMs: 15 * minute });
}

/** Limits challenges for the second step, which need a first factor: each is a row for five minutes, and lists the user's passkeys. */
export function secondStepChallengeLimits(userId: string): RateLimit[] {
  return [{ name: 'passkey-second-factor', subject: userId, max: 30, windowMs: 15 * minute }];
}

/** Limits passkey registrations that a user starts: each is a row for five minutes. */
export function registrationLimits(userId: string): RateLimit[] {
  return [{ name: 'passkey-registration', subject: userId, max: 30, windowMs: 15 * minute }];
}

/** Limits clients of the OAuth server that register themselves: each is a row for 90 days. */
export function clientRegistrationLimits(ip?: string): RateLimit[] {
  return perIp('oauth-registration:ip', ip, { max: 20, windowMs: 60 * minute });
}

/** Limits authorization requests of the OAuth server, which need no session: each is a row for an hour. */
export function authorizationRequestLimits(ip?: string): RateLimit[] {
  return perIp('oauth-request:ip', ip, { max: 200, windowMs: 15 * minute });
}

/** Limits new device codes, each of which is a row, and makes others easier to guess. */
export function deviceRequestLimits(ip?: string): RateLimit[] {
  return perIp('oauth-device:ip', ip, { max: 60, windowMs: 15 * minute });
}

/** Limits how often a device asks whether its user has decided: every five seconds (RFC 8628, 3.5), less what a network can hurry. */
export function devicePollLimits(digest: string): RateLimit[] {
  return [{ name: 'oauth-device:poll', subject: digest, max: 1, windowMs: 4_000, isPace: true }];
}

/** Limits wrong codes of devices, so that no one finds the device of someone else (RFC 8628, 5.1). */
export function userCodeLimits(userId: string, ip?: string): RateLimit[] {
  return [
    { name: 'oauth-user-code:user', subject: userId, max: 10, windowMs: 60 * minute },
    ...perIp('oauth-user-code:ip', ip, { max: 30, windowMs: 60 * minute }),
  ];
}

/**
 * Limits failures at the endpoints of the OAuth server that clients call: each costs a query, and a caller could search for secrets. One
 * address can be a service with many users, of whom some have ended their grants.
 */
export function clientFailureLimits(ip?: string): RateLimit[] {
  return perIp('oauth-failure:ip', ip, { max: 300, windowMs: 15 * minute });
}

/**
 * Limits requests for the metadata documents of clients, which a stranger causes: of an unknown one by the caller and by its host, of a known
 * one by the document alone, so that no one keeps the users of a known client out with other documents, neither of its host nor from their
 * network.
 */
export function metadataDocumentLimits({ href, host }: URL, isKnown: boolean, ip?: string): RateLimit[] {
  if (isKnown) return [{ name: 'oauth-document:url', subject: href, max: 10, windowMs: minute }];
  return [
    ...perIp('oauth-document:ip', ip, { max: 60, windowMs: 60 * minute }),
    { name: 'oauth-document:host', subject: host, max: 60, windowMs: 15 * minute },
  ];
}

/** Limits requests for a document whose copy is old, while that copy serves: one of all processes asks, and the others wait for none. */
export function documentRenewalLimits({ href }: URL): RateLimit[] {
  return [{ name: 'oauth-document:renewal', subject: href, max: 1, windowMs: minute, isPace: true }];
}

/** Limits requests for the keys of a client, which its own requests cause. */
export function clientKeysLimits({ href }: URL): RateLimit[] {
  return [{ name: 'oauth-keys:url', subject: href, max: 10, windowMs: minute }];
}

/** Limits organizations that a user creates: permanent rows, each of which takes a slug, or reveals that it is taken. */
export function newOrgLimits(userId: string): RateLimit[] {
  return [{ name: 'org', subject: userId, max: 20, windowMs: day }];
}

/** Limits API keys that a user creates, those of organizations included: the row remains when the key is revoked. */
export function newApiKeyLimits(userId: string): RateLimit[] {
  return [{ name: 'api-key', subject: userId, max: 100, windowMs: day }];
}

/** Limits changes of a name or picture that other users see: by its user, or of an organization. */
export function profileLimits(id: string): RateLimit[] {
  return [{ name: 'profile', subject: id, max: 20, windowMs: day }];
}

/** Limits attempts to set a user name, each of which reveals whether it is taken. */
export function usernameAttemptLimits(userId: string): RateLimit[] {
  return [{ name: 'username-attempt', subject: userId, max: 60, windowMs: 15 * minute }];
}

/** Limits previews of invites, which need no session. */
export function invitePreviewLimits(ip?: string): RateLimit[] {
  return perIp('invite-preview:ip', ip, { max: 100, windowMs: 15 * minute });
}

/** Limits new guests, who need no credentials: each is a user for a month. */
export function guestLimits(ip?: string): RateLimit[] {
  return perIp('guest:ip', ip, { max: 20, windowMs: 15 * minute });
}

/** Limits wrong codes across all codes of a subject: with 5 guesses per code alone, an attacker has a 58 % chance a year on one mailbox. */
export function guessLimits(purpose: string, subject: string, ip?: string): RateLimit[] {
  return [
    ...perIp(`guess-ip:${purpose}`, ip, { max: 200, windowMs: 15 * minute }),
    { name: `guess:${purpose}`, subject, max: 10, windowMs: 15 * minute },
    { name: `guess-day:${purpose}`, subject, max: 50, windowMs: day },
  ];
}

/**
 * Limits wrong guesses at long codes, of which one in ten million million is right: per client only, so that no one else's guesses keep the
 * owner out. Another code gives the client that requests it new tries.
 */
export function longGuessLimits(purpose: string, subject: string, ip?: string): RateLimit[] {
  return [
    ...perIp(`guess-ip:${purpose}`, ip, { max: 200, windowMs: 15 * minute }),
    { name: `guess-long:${purpose}`, subject: pairOf(subject, ip), max: 5, windowMs: 15 * minute },
  ];
}

/** Limits wrong guesses at long codes from known devices of the account. */
export function knownDeviceLongGuessLimits(purpose: string, subject: string): RateLimit[] {
  return [{ name: `guess-long-known:${purpose}`, subject, max: 5, windowMs: 15 * minute, isCaller: true }];
}

/** Returns the limits of a guess at a mailed code. Only a guess of the right kind can be right. */
export function mailedCodeLimits(purpose: string, subject: string, code: string, ip?: string): RateLimit[] {
  return (isLongCode(code) ? longGuessLimits : guessLimits)(purpose, subject, ip);
}

/** Limits wrong codes from known devices of the account, counted separately from those of strangers. */
export function knownDeviceGuessLimits(purpose: string, subject: string): RateLimit[] {
  return [
    { name: `guess-known:${purpose}`, subject, max: 10, windowMs: 15 * minute, isCaller: true },
    { name: `guess-day-known:${purpose}`, subject, max: 50, windowMs: day, isCaller: true },
  ];
}

/** A code for a sign-in or a check (`totp`), or for an enrollment that is not confirmed yet (`totp-confirm`). */
export type SecondFactorGuess = 'totp' | 'totp-confirm';

/**
 * Limits wrong codes of an authenticator app, recovery codes included. One of 333,333 codes is right, because three steps are accepted
 * (RFC 6238, 5.2): an attacker who knows the first factor has a chance of 5 % a year, and of 40 % without the second limit.
 */
export function secondFactorLimits(name: SecondFactorGuess, userId: string): RateLimit[] {
  return [
    { name, subject: userId, max: 5, windowMs: 15 * minute },
    { name: `${name}-day`, subject: userId, max: 50, windowMs: day },
  ];
}

/** Names of the limits that a successful login resets. */
export const loginPairLimits = ['login:address-ip', 'login-known:address-ip'];
/** Names of the limits of an address, which all clients share. */
export const loginAddressLimits = ['login:address', 'login-known:address'];

/** Limits failed passwords. Clients without a known address share one limit. */
export function loginLimits(limits: LoginLimits | false, address: string, ip?: string): RateLimit[] {
  if (limits === false) return [];
  return [...perIp('login:ip', ip, limits.perIp), ...passwordLimits('login', limits, address, ip)];
}

/** Limits sign-ups with a password: each costs a hash and writes a row before the mailbox is proven. Has no limit for an unknown client. */
export function signUpLimits(limits: SignUpLimits | false, ip?: string): RateLimit[] {
  if (limits === false || !isClient(ip)) return [];
  const network = networkOf(canonicalClientAddress(ip));
  return [
    ...perIp('sign-up:ip', ip, limits.perIp),
    ...(network === undefined ? [] : [{ name: 'sign-up:network', subject: network, ...limits.perNetwork }]),
  ];
}

/** Limits the passwords that are submitted with one reset link: one of them is set; the others cost a hash. */
export function resetTokenLimits(digest: string, windowMs: number): RateLimit[] {
  return [{ name: 'password-reset', subject: digest, max: 100, windowMs }];
}

/**
 * Limits new passwords, right or wrong: each may call the application and another server before anything else is checked.
 * @param subject the user, or the digest of the link; absent for a code.
 */
export function newPasswordLimits(ip?: string, subject?: string): RateLimit[] {
  return [
    ...perIp('new-password:ip', ip, { max: 200, windowMs: 15 * minute }),
    ...(subject === undefined ? [] : [{ name: 'new-password', subject, max: 100, windowMs: 15 * minute }]),
  ];
}

/** Limits failed passwords from known devices of the account, counted separately from those of strangers. */
export function knownDeviceLoginLimits(
  limits: LoginLimits | false,
  address: string,
  ip?: string,
): RateLimit[] {
  if (limits === false) return [];
  return passwordLimits('login-known', limits, address, ip).map((limit) => ({ ...limit, isCaller: true }));
}

/** The limit of the address comes first: a store that counts one after the other has then counted it when that of the pair refuses. */
function passwordLimits(
  name: string,
  { perAddress, perAddressAndIp }: LoginLimits,
  address: string,
  ip?: string,
): RateLimit[] {
  const ofAddress = `${name}:address`;
  // Only a window that lasts at least as long counts every hit.
  const isWider = perAddress.windowMs >= perAddressAndIp.windowMs;
  return [
    { name: ofAddress, subject: address, ...perAddress },
    {
      name: `${name}:address-ip`,
      subject: pairOf(address, ip),
      ...perAddressAndIp,
      ...(isWider && { resetWith: ofAddress }),
    },
  ];
}

function pairOf(address: string, ip: string | undefined): string {
  return `${address} ${isClient(ip) ? canonicalClientAddress(ip) : 'unknown'}`;
}

/** Returns the limit of a client, or none if its address is unknown. */
export function perIp(name: string, ip: string | undefined, rule: RateLimitRule): RateLimit[] {
  return isClient(ip) ? [{ name, subject: canonicalClientAddress(ip), ...rule, isCaller: true }] : [];
}

/** Limits cookies of a former system that lead to no session: each costs a lookup there. */
export function oldSessionLimits(ip?: string): RateLimit[] {
  return perIp('old-session:ip', ip, { max: 300, windowMs: 15 * minute });
}
