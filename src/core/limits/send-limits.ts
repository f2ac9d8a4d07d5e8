/** Defines the limits of mails and text messages (docs/decisions/limits.md). */
import { canonicalClientAddress, isClient } from '../../domain/client-address.js';
import { mailboxOf } from '../../domain/email-address.js';
import type { PhoneNumber } from '../../domain/phone-number.js';
import { day, minute, perIp, type RateLimit } from './rate-limits.js';

/** Multiple of the limit per address: people behind one IP address can all sign in, but one client cannot mail the whole world. */
const sendsPerClient = 20;
/** The same per day: as much as twenty windows allow. */
const sendsPerClientAndDay = 20 * sendsPerClient;
/** Multiple of the limit per address and window. One limit covers all purposes. */
const sendsPerMailboxAndDay = 4;

export interface SendLimits {
  maxPerWindow: number;
  windowMs: number;
}

/**
 * Limits mails: the configured limit per purpose and address, and twice that per purpose and mailbox, which ignores tags and dots. A
 * client may send twenty times that limit. The limits of a day count every purpose.
 */
export function sendLimits(limits: SendLimits, purpose: string, address: string, ip?: string): RateLimit[] {
  const { maxPerWindow, windowMs } = limits;
  const mailbox = mailboxOf(address);
  return [
    ...perIp('send:ip', ip, { max: sendsPerClient * maxPerWindow, windowMs }),
    ...perIp('send-day:ip', ip, { max: sendsPerClientAndDay * maxPerWindow, windowMs: day }),
    ...windowOfMailbox(limits, purpose, address, mailbox),
    { ...dayOfMailbox(limits, 'send-day', mailbox), ...firstOfDay(limits, mailbox, ip) },
  ];
}

function windowOfMailbox(
  { maxPerWindow, windowMs }: SendLimits,
  purpose: string,
  address: string,
  mailbox: string,
): RateLimit[] {
  return [
    { name: `send:${purpose}`, subject: address, max: maxPerWindow, windowMs },
    { name: `send-mailbox:${purpose}`, subject: mailbox, max: 2 * maxPerWindow, windowMs },
  ];
}

/** Limits mails that a known device of the account requests: as many as strangers may request, counted separately from theirs. */
export function knownDeviceSendLimits(limits: SendLimits, purpose: string, address: string): RateLimit[] {
  return [
    windowOfKnownDevice(limits, purpose, address),
    { ...dayOfMailbox(limits, 'send-day-known', mailboxOf(address)), isCaller: true },
  ];
}

function windowOfKnownDevice(
  { maxPerWindow, windowMs }: SendLimits,
  purpose: string,
  address: string,
): RateLimit {
  return { name: `send-known:${purpose}`, subject: address, max: maxPerWindow, windowMs, isCaller: true };
}

/** Returns the limits of mails to a mailbox, of strangers and of known devices, for a proof of the mailbox to reset. */
export function mailboxSendLimits(
  limits: SendLimits,
  purposes: readonly string[],
  address: string,
): RateLimit[] {
  const mailbox = mailboxOf(address);
  const ofMailbox = [
    dayOfMailbox(limits, 'send-day', mailbox),
    dayOfMailbox(limits, 'send-day-known', mailbox),
  ];
  for (const purpose of purposes)
    ofMailbox.push(
      ...windowOfMailbox(limits, purpose, address, mailbox),
      windowOfKnownDevice(limits, purpose, address),
    );
  return ofMailbox;
}

/** A fixed limit would keep the owner from a code for a day. Instead, each mail beyond the usual number waits twice as long as the last. */
function dayOfMailbox({ maxPerWindow }: SendLimits, name: string, mailbox: string): RateLimit {
  const growingWait = { firstMs: minute, longestMs: 2 * 60 * minute };
  return { name, subject: mailbox, max: sendsPerMailboxAndDay * maxPerWindow, windowMs: day, growingWait };
}

/**
 * An attacker who requests a mail at the end of every wait would take all of them. Therefore a client's first mail of the day to a mailbox
 * does not wait, for up to twice as many clients as an address gets mails in a window.
 */
function firstOfDay({ maxPerWindow }: SendLimits, mailbox: string, ip?: string): Pick<RateLimit, 'orElse'> {
  if (!isClient(ip)) return {};
  const subject = `${mailbox} ${canonicalClientAddress(ip)}`;
  const orElse = [
    { name: 'send-first', subject, max: 1, windowMs: day },
    { name: 'send-first:mailbox', subject: mailbox, max: 2 * maxPerWindow, windowMs: day },
  ];
  return { orElse };
}

/** Limits mails to an address that a signed-in user chooses: as many per user as per address. */
export function chosenAddressLimits(
  limits: SendLimits,
  purpose: string,
  { userId, address }: { userId: string; address: string },
  ip?: string,
): RateLimit[] {
  const { maxPerWindow: max, windowMs } = limits;
  return [
    { name: `send-user:${purpose}`, subject: userId, max, windowMs },
    ...sendLimits(limits, purpose, address, ip),
  ];
}

/**
 * Limits invites. They are mails to strangers on behalf of an organization that any user can create, so an inviter gets as many as a
 * client. `inviterId` is undefined if the system invites.
 */
export function inviteLimits(
  limits: SendLimits,
  { address, inviterId }: { address: string; inviterId: string | undefined },
  ip?: string,
): RateLimit[] {
  const max = sendsPerClient * limits.maxPerWindow;
  return [
    ...sendLimits(limits, 'org_invite', address, ip),
    ...(inviterId === undefined
      ? []
      : [{ name: 'send-user:org_invite', subject: inviterId, max, windowMs: limits.windowMs }]),
  ];
}

/**
 * Limits text messages per number, per client and per country. They cost money, which an attacker can collect with premium-rate numbers
 * (SMS pumping), so a client gets a fifth of what it gets of mails.
 */
export function smsLimits(
  { maxPerWindow, windowMs }: SendLimits,
  { e164, country }: PhoneNumber,
  maxPerCountry: number,
  ip?: string,
): RateLimit[] {
  return [
    ...perIp('text:ip', ip, { max: 4 * maxPerWindow, windowMs }),
    { name: 'text:number', subject: e164, max: maxPerWindow, windowMs },
    { name: 'text:country', subject: country, max: maxPerCountry, windowMs },
  ];
}

/** Limits text messages that a known device of the account requests. They cost as much as others, so the limit per country counts them. */
export function knownDeviceSmsLimits(
  { maxPerWindow, windowMs }: SendLimits,
  { e164, country }: PhoneNumber,
  maxPerCountry: number,
  ip?: string,
): RateLimit[] {
  return [
    // An attacker who has collected numbers also has known devices for them.
    ...perIp('text-known:ip', ip, { max: 4 * maxPerWindow, windowMs }),
    { name: 'text-known:number', subject: e164, max: maxPerWindow, windowMs, isCaller: true },
    { name: 'text:country', subject: country, max: maxPerCountry, windowMs },
  ];
}
