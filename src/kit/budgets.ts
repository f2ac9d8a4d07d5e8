/** Which limits apply to what (docs/decisions/limits.md). */
import { canonicalClientAddress } from '../domain/client-address.js';
import { networkOf } from '../domain/client-network.js';
import type { Budget } from './limiter.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;

export interface BudgetRule {
  max: number;
  windowMs: number;
}

export interface LoginLimits {
  perAddressAndIp: BudgetRule;
  perAddress: BudgetRule;
  perIp: BudgetRule;
}

export interface SignUpLimits {
  perIp: BudgetRule;
  perNetwork: BudgetRule;
}

/** Challenges that anybody may ask for: each is a row for five minutes. */
export function challengeBudgets(ip?: string): Budget[] {
  return perIp('challenge:ip', ip, { max: 200, windowMs: 15 * minute });
}

/** Passkeys that a user begins to register: each is a row for five minutes. */
export function registrationBudgets(userId: string): Budget[] {
  return [{ name: 'passkey-registration', subject: userId, max: 30, windowMs: 15 * minute }];
}

/** Organizations that a user creates: permanent rows, each of which takes a slug, or reveals that it is taken. */
export function newOrgBudgets(userId: string): Budget[] {
  return [{ name: 'org', subject: userId, max: 20, windowMs: day }];
}

/** API keys that a user creates, those of organizations included: rows that stay when the key is revoked. */
export function newApiKeyBudgets(userId: string): Budget[] {
  return [{ name: 'api-key', subject: userId, max: 100, windowMs: day }];
}

/** Previews of invites, which need no session. */
export function invitePreviewBudgets(ip?: string): Budget[] {
  return perIp('invite-preview:ip', ip, { max: 100, windowMs: 15 * minute });
}

/** Guests, whom anybody may become: each is a user for a month. */
export function guestBudgets(ip?: string): Budget[] {
  return perIp('guest:ip', ip, { max: 20, windowMs: 15 * minute });
}

/** Wrong codes, whichever code they were meant for: 5 tries per code alone would be 58 % a year on one mailbox. */
export function guessBudgets(purpose: string, subject: string, ip?: string): Budget[] {
  return [
    ...perIp(`guess-ip:${purpose}`, ip, { max: 200, windowMs: 15 * minute }),
    { name: `guess:${purpose}`, subject, max: 10, windowMs: 15 * minute },
    { name: `guess-day:${purpose}`, subject, max: 50, windowMs: day },
  ];
}

/** Wrong codes from known devices of the account, counted apart from those of strangers. */
export function knownDeviceGuessBudgets(purpose: string, subject: string): Budget[] {
  return [
    { name: `guess-known:${purpose}`, subject, max: 10, windowMs: 15 * minute, isCaller: true },
    { name: `guess-day-known:${purpose}`, subject, max: 50, windowMs: day, isCaller: true },
  ];
}

/** Of a sign-in or a check, or of an enrolment that is to be confirmed. */
export type SecondFactorGuess = 'totp' | 'totp-confirm';

/**
 * Wrong codes of an authenticator app, recovery codes included. One of 333,333 codes is right, three steps being accepted
 * (RFC 6238, 5.2): whoever knows the first factor has a chance of 5 % a year, and would have 40 % without the second limit.
 */
export function secondFactorBudgets(name: SecondFactorGuess, userId: string): Budget[] {
  return [
    { name, subject: userId, max: 5, windowMs: 15 * minute },
    { name: `${name}-day`, subject: userId, max: 50, windowMs: day },
  ];
}

/** Forgiven by a login that succeeds. */
export const loginPairBudgets = ['login:address-ip', 'login-known:address-ip'];

/** Failed passwords. An unknown client is a client as well. */
export function loginBudgets(limits: LoginLimits | false, address: string, ip?: string): Budget[] {
  if (limits === false) return [];
  return [
    ...perIp('login:ip', ip, limits.perIp),
    { name: 'login:address-ip', subject: pairOf(address, ip), ...limits.perAddressAndIp },
    { name: 'login:address', subject: address, ...limits.perAddress },
  ];
}

/** Sign-ups with a password: each costs a hash and writes a row before anything is proven. An unknown client has no limit. */
export function signUpBudgets(limits: SignUpLimits | false, ip?: string): Budget[] {
  if (limits === false || ip === undefined) return [];
  const network = networkOf(canonicalClientAddress(ip));
  return [
    ...perIp('sign-up:ip', ip, limits.perIp),
    ...(network === undefined ? [] : [{ name: 'sign-up:network', subject: network, ...limits.perNetwork }]),
  ];
}

/** Passwords that are tried with one reset link. One of them is set; the others cost a hash. */
export function resetTokenBudgets(digest: string, windowMs: number): Budget[] {
  return [{ name: 'password-reset', subject: digest, max: 100, windowMs }];
}

/** Failed passwords from known devices of the account, counted apart from those of strangers. */
export function knownDeviceLoginBudgets(limits: LoginLimits | false, address: string, ip?: string): Budget[] {
  if (limits === false) return [];
  const isCaller = true;
  return [
    { name: 'login-known:address-ip', subject: pairOf(address, ip), ...limits.perAddressAndIp, isCaller },
    { name: 'login-known:address', subject: address, ...limits.perAddress, isCaller },
  ];
}

function pairOf(address: string, ip: string | undefined): string {
  return `${address} ${ip === undefined ? 'unknown' : canonicalClientAddress(ip)}`;
}

/** None without a client. */
export function perIp(name: string, ip: string | undefined, rule: BudgetRule): Budget[] {
  return ip === undefined ? [] : [{ name, subject: canonicalClientAddress(ip), ...rule, isCaller: true }];
}
