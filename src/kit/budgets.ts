/** Which limits apply to what (docs/decisions/limits.md). */
import { mailboxOf } from '../domain/email-address.js';
import type { PhoneNumber } from '../domain/phone-number.js';
import type { Budget } from './limiter.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Times what an address gets: one client cannot mail the whole world, and people behind one address can all sign in. */
const sendsPerClient = 20;

export interface BudgetRule {
  max: number;
  windowMs: number;
}

export interface LoginLimits {
  perAddressAndIp: BudgetRule;
  perAddress: BudgetRule;
  perIp: BudgetRule;
}

export interface SendLimits {
  maxPerWindow: number;
  windowMs: number;
}

/**
 * Sends: the configured limit per purpose and address, twice that per purpose and mailbox (tags and dots aside), twenty times that per client, which keeps one client from mailing the whole world.
 */
export function sendBudgets(
  { maxPerWindow, windowMs }: SendLimits,
  purpose: string,
  address: string,
  ip?: string,
): Budget[] {
  return [
    { name: `send:${purpose}`, subject: address, max: maxPerWindow, windowMs },
    { name: `send-mailbox:${purpose}`, subject: mailboxOf(address), max: 2 * maxPerWindow, windowMs },
    ...perIp('send:ip', ip, { max: sendsPerClient * maxPerWindow, windowMs }),
  ];
}

/** Sends to an address of the caller's choice, in the name of one who is signed in: as many per user as per address. */
export function chosenSendBudgets(
  limits: SendLimits,
  purpose: string,
  { userId, address }: { userId: string; address: string },
  ip?: string,
): Budget[] {
  const { maxPerWindow: max, windowMs } = limits;
  return [
    { name: `send-user:${purpose}`, subject: userId, max, windowMs },
    ...sendBudgets(limits, purpose, address, ip),
  ];
}

/**
 * Invites: mails to strangers in the name of an organisation that anybody may found, so as many per inviter as per client. Without
 * an inviter the system invites.
 */
export function inviteBudgets(
  limits: SendLimits,
  { address, inviterId }: { address: string; inviterId: string | undefined },
  ip?: string,
): Budget[] {
  const max = sendsPerClient * limits.maxPerWindow;
  return [
    ...sendBudgets(limits, 'org_invite', address, ip),
    ...(inviterId === undefined
      ? []
      : [{ name: 'send-user:org_invite', subject: inviterId, max, windowMs: limits.windowMs }]),
  ];
}

/**
 * Texts, which cost money and which made-up numbers can be made to pay for: per number, per client and per country.
 * (What a text costs is why a client gets a fifth of what mails allow.)
 */
export function textBudgets(
  { maxPerWindow, windowMs }: SendLimits,
  { e164, country }: PhoneNumber,
  maxPerCountry: number,
  ip?: string,
): Budget[] {
  return [
    { name: 'text:number', subject: e164, max: maxPerWindow, windowMs },
    ...perIp('text:ip', ip, { max: 4 * maxPerWindow, windowMs }),
    { name: 'text:country', subject: country, max: maxPerCountry, windowMs },
  ];
}

/** Challenges that anybody may ask for: each is a row for five minutes. */
export function challengeBudgets(ip?: string): Budget[] {
  return perIp('challenge:ip', ip, { max: 200, windowMs: 15 * minute });
}

/** Passkeys that a user begins to register: each is a row for five minutes. */
export function registrationBudgets(userId: string): Budget[] {
  return [{ name: 'passkey-registration', subject: userId, max: 30, windowMs: 15 * minute }];
}

/** Organisations that a user founds over HTTP: rows for good, each of which takes a slug, or says that it is taken. */
export function newOrgBudgets(userId: string): Budget[] {
  return [{ name: 'org', subject: userId, max: 20, windowMs: day }];
}

/** API keys that a user makes over HTTP, their own and those of organisations: rows that stay when the key ends. */
export function newApiKeyBudgets(userId: string): Budget[] {
  return [{ name: 'api-key', subject: userId, max: 100, windowMs: day }];
}

/** Guests, whom anybody may become: each is a user for a month. */
export function guestBudgets(ip?: string): Budget[] {
  return perIp('guest:ip', ip, { max: 20, windowMs: 15 * minute });
}

/** Wrong codes, whichever code they were meant for: 5 tries per code alone would be 58 % a year on one mailbox. */
export function guessBudgets(purpose: string, subject: string, ip?: string): Budget[] {
  return [
    { name: `guess:${purpose}`, subject, max: 10, windowMs: 15 * minute },
    { name: `guess-day:${purpose}`, subject, max: 50, windowMs: day },
    ...perIp(`guess-ip:${purpose}`, ip, { max: 200, windowMs: 15 * minute }),
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

export const loginPairBudget = 'login:address-ip';

/** Failed passwords. An unknown client is a client as well. */
export function loginBudgets(limits: LoginLimits | false, address: string, ip?: string): Budget[] {
  if (limits === false) return [];
  return [
    { name: loginPairBudget, subject: `${address} ${ip ?? 'unknown'}`, ...limits.perAddressAndIp },
    { name: 'login:address', subject: address, ...limits.perAddress },
    ...perIp('login:ip', ip, limits.perIp),
  ];
}

function perIp(name: string, ip: string | undefined, rule: BudgetRule): Budget[] {
  return ip === undefined ? [] : [{ name, subject: ip, ...rule }];
}
