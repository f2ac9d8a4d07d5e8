/** Which limits apply to what (docs/decisions/limits.md). */
import { canonicalClientAddress } from '../domain/client-address.js';
import { networkOf } from '../domain/client-network.js';
import { mailboxOf } from '../domain/email-address.js';
import type { PhoneNumber } from '../domain/phone-number.js';
import type { Budget } from './limiter.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Times what an address gets: one client cannot mail the whole world, and people behind one address can all sign in. */
const sendsPerClient = 20;
/** The same for a day: as much as twenty windows allow. */
const sendsPerClientAndDay = 20 * sendsPerClient;
/** Times what an address gets in a window: five of each kind of mail, and as many again as one kind has. */
const sendsPerMailboxAndDay = 4;

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

export interface SendLimits {
  maxPerWindow: number;
  windowMs: number;
}

/**
 * Sends: the configured limit per purpose and address, and twice that per purpose and mailbox (tags and dots aside). A client may
 * send twenty times that limit, which keeps one client from mailing the whole world. A day's budgets count every purpose.
 */
export function sendBudgets(limits: SendLimits, purpose: string, address: string, ip?: string): Budget[] {
  const { maxPerWindow, windowMs } = limits;
  return [
    ...perIp('send:ip', ip, { max: sendsPerClient * maxPerWindow, windowMs }),
    ...perIp('send-day:ip', ip, { max: sendsPerClientAndDay * maxPerWindow, windowMs: day }),
    { name: `send:${purpose}`, subject: address, max: maxPerWindow, windowMs },
    { name: `send-mailbox:${purpose}`, subject: mailboxOf(address), max: 2 * maxPerWindow, windowMs },
    {
      ...dayOfMailbox(limits, 'send-day', mailboxOf(address)),
      ...firstOfDay(limits, mailboxOf(address), ip),
    },
  ];
}

/** Sends that a known device of the account asks for: as many as strangers may ask for, counted apart from theirs. */
export function knownDeviceSendBudgets(limits: SendLimits, purpose: string, address: string): Budget[] {
  const { maxPerWindow, windowMs } = limits;
  return [
    { name: `send-known:${purpose}`, subject: address, max: maxPerWindow, windowMs, isCaller: true },
    { ...dayOfMailbox(limits, 'send-day-known', mailboxOf(address)), isCaller: true },
  ];
}

/** A wall would keep the owner from a code for a day: beyond the usual number each further mail waits twice as long as the last. */
function dayOfMailbox({ maxPerWindow }: SendLimits, name: string, mailbox: string): Budget {
  const growingWait = { firstMs: minute, longestMs: 2 * 60 * minute };
  return { name, subject: mailbox, max: sendsPerMailboxAndDay * maxPerWindow, windowMs: day, growingWait };
}

/**
 * One stranger who asks at the end of every wait would take them all. So a client's first mail of the day to a mailbox does not wait,
 * for as many clients as twice what an address gets in a window.
 */
function firstOfDay({ maxPerWindow }: SendLimits, mailbox: string, ip?: string): Pick<Budget, 'orElse'> {
  if (ip === undefined) return {};
  const subject = `${mailbox} ${canonicalClientAddress(ip)}`;
  const orElse = [
    { name: 'send-first', subject, max: 1, windowMs: day },
    { name: 'send-first:mailbox', subject: mailbox, max: 2 * maxPerWindow, windowMs: day },
  ];
  return { orElse };
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
    ...perIp('text:ip', ip, { max: 4 * maxPerWindow, windowMs }),
    { name: 'text:number', subject: e164, max: maxPerWindow, windowMs },
    { name: 'text:country', subject: country, max: maxPerCountry, windowMs },
  ];
}

/** Text messages that a known device of the account asks for. They cost as much as others, so the country's limit counts them. */
export function knownDeviceTextBudgets(
  { maxPerWindow, windowMs }: SendLimits,
  { e164, country }: PhoneNumber,
  maxPerCountry: number,
  ip?: string,
): Budget[] {
  return [
    // Whoever has collected numbers has collected devices of them.
    ...perIp('text-known:ip', ip, { max: 4 * maxPerWindow, windowMs }),
    { name: 'text-known:number', subject: e164, max: maxPerWindow, windowMs, isCaller: true },
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

function perIp(name: string, ip: string | undefined, rule: BudgetRule): Budget[] {
  return ip === undefined ? [] : [{ name, subject: canonicalClientAddress(ip), ...rule, isCaller: true }];
}
