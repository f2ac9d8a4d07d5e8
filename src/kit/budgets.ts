/** Which limits apply to what (docs/decisions/limits.md). */
import { mailboxOf } from '../domain/email-address.js';
import type { Budget } from './limiter.js';

const minute = 60_000;
const day = 24 * 60 * minute;

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
    ...perIp('send:ip', ip, { max: 20 * maxPerWindow, windowMs }),
  ];
}

/** Wrong codes, whichever code they were meant for: 5 tries per code alone would be 58 % a year on one mailbox. */
export function guessBudgets(purpose: string, subject: string, ip?: string): Budget[] {
  return [
    { name: `guess:${purpose}`, subject, max: 10, windowMs: 15 * minute },
    { name: `guess-day:${purpose}`, subject, max: 50, windowMs: day },
    ...perIp(`guess-ip:${purpose}`, ip, { max: 200, windowMs: 15 * minute }),
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
