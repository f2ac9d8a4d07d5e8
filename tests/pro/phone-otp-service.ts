// A service with sign-in by text message, for the tests of the phone provider.
import { smsOutbox, testClock, type SmsOutbox } from 'svc-auth/testing';
import type { StorageContext } from '../support/describe-adapters.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { minute, proFixtures, type ProService } from '../support/make-pro-service.js';

export type PhoneOptions = Record<string, unknown>;
export interface PhoneService extends ProService {
  texts: SmsOutbox;
}

// Unused numbers over all storages, from the range reserved for fiction.
let numbers = 0;
export const newNumber = () => `+1212555${String((numbers += 1)).padStart(4, '0')}`;

/** The address of a client that no other test uses. */
export const newClient = () => `192.0.2.${(numbers += 1) % 250}`;

export function phoneOtp(on: StorageContext) {
  const users = proFixtures(on);
  const { makePro } = users;

  async function makePhone(options: PhoneOptions = {}, overrides: Overrides = {}): Promise<PhoneService> {
    const texts = smsOutbox();
    // Each country has a limit, so each test gets its own window.
    numbers += 1;
    const clock = overrides.clock ?? testClock(Math.ceil(Date.now() / 1000) * 1000 + numbers * 60 * minute);
    const providers = { phoneOtp: { sender: texts, ...options }, ...overrides.providers } as object;
    const test = await makePro({ clock, ...overrides, providers });
    return { ...test, texts };
  }
  const send = ({ service }: TestService, phone: unknown, more: object = {}, context: object = {}) =>
    service.phoneOtp.sendCode({ phone: phone as string, ...more }, context);
  const verify = ({ service }: TestService, phone: unknown, code: unknown, context: object = {}) =>
    service.phoneOtp.verify({ phone: phone as string, code: code as string }, context);

  /** Signs a user in by phone number. */
  async function signIn(test: PhoneService, phone = newNumber()) {
    await send(test, phone);
    return { phone, ...(await verify(test, phone, test.texts.lastCode(phone))) };
  }

  return { ...users, makePhone, send, verify, signIn };
}
