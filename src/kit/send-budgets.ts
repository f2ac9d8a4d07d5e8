/** Which limits apply to mails and text messages (docs/decisions/limits.md). */
import { canonicalClientAddress } from '../domain/client-address.js';
import { mailboxOf } from '../domain/email-address.js';
import type { PhoneNumber } from '../domain/phone-number.js';
import { day, minute, perIp } from './budgets.js';
import type { Budget } from './limiter.js';

/** Times what an address gets: one client cannot mail the whole world, and people behind one address can all sign in. */
const sendsPerClient = 20;
/** The same for a day: as much as twenty windows allow. */
const sendsPerClientAndDay = 20 * sendsPerClient;
/** Times what an address gets in a window: five of each kind of mail, and as many again as one kind has. */
const sendsPerMailboxAndDay = 4;

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
