// Guests who become users by an email code or a password (docs/decisions/guests.md;
// docs/security-requirements.md C-29).
import type { ChallengeRequiredError } from 'svc-auth';
import { solveProofOfWork } from 'svc-auth/client';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, invalidIds, proFixtures, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { differentCode } from '../support/site-actions.js';

const password = 'correct horse battery';

describeAdapters('Guest upgrades', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });
  const guestOf = ({ service }: ProService) => service.sessionsProvider.createGuest();

  async function codeFor(test: ProService, userId: string, email: string): Promise<string> {
    await test.service.emailCode.sendUpgradeCode({ userId, email });
    return test.mail.lastCode(email)!;
  }

  it('upgrades a guest by a code: keeps the id, verifies the address and revokes the guest’s tokens', async () => {
    const test = await makePro();
    const { service } = test;
    const { user: guest, token } = await guestOf(test);
    const { token: bare } = service.createSessionToken(guest.id);
    const email = uniqueEmail();
    await test.takeEvents();
    const { expiresAt } = await service.emailCode.sendUpgradeCode({ userId: guest.id, email });
    expect(expiresAt).toEqual(new Date(test.clock.now() + 10 * minute));
    const input = { userId: guest.id, email, code: test.mail.lastCode(email)! };
    const context = { startSession: true, sessionToken: token };
    const { user, session } = await service.emailCode.upgradeGuest(input, context);
    expect(user).toEqual({ ...guest, email, emailVerified: true, updatedAt: new Date(test.clock.now()) });
    for (const each of [token, bare]) {
      expect(await outcomeOf(() => service.getSessionUser(each))).toBe('token_invalid');
    }
    expect(await service.getSessionUser(session!.token)).toEqual(user);
    expect(await service.sessionsProvider.isGuest(guest.id)).toBe(false);
    expect(await test.takeEvents()).toEqual([
      { name: 'code.sent', payload: { purpose: 'guest_upgrade' } },
      { name: 'user.upgraded', payload: { userId: guest.id } },
      { name: 'session.created', payload: { userId: guest.id, sessionId: session!.session.id } },
    ]);
    expect((await verifiedUser(test, email)).id).toBe(guest.id);
  });

  it('upgrades a guest by a password with an unverified address, which its owner can reclaim', async () => {
    const test = await makePro();
    const { service } = test;
    const { user: guest, token } = await guestOf(test);
    const email = uniqueEmail();
    const { user, session } = await service.emailPassword.upgradeGuest({ userId: guest.id, email, password });
    expect(user).toMatchObject({ id: guest.id, email, emailVerified: false });
    expect(session).toBeUndefined();
    expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
    expect((await service.emailPassword.login({ email, password })).user.id).toBe(guest.id);
    await test.takeEvents();
    expect((await verifiedUser(test, email)).id).toBe(guest.id);
    expect(await test.takeEventNames()).toContain('user.claimed');
    expect(await outcomeOf(() => service.emailPassword.login({ email, password }))).toBe(
      'invalid_credentials',
    );
  });

  it('accepts a code for one guest and one address only, and not for a sign-in', async () => {
    const test = await makePro();
    const { emailCode } = test.service;
    const [{ user: guest }, { user: other }] = [await guestOf(test), await guestOf(test)];
    const email = uniqueEmail();
    const code = await codeFor(test, guest.id, email);
    await codeFor(test, other.id, uniqueEmail());
    const upgrade = (userId: string, to: string) =>
      outcomeOf(() => emailCode.upgradeGuest({ userId, email: to, code }));
    expect(await upgrade(other.id, email)).toBe('code_invalid');
    expect(await upgrade(guest.id, uniqueEmail())).toBe('code_invalid');
    expect(await outcomeOf(() => emailCode.verify({ email, code }))).toBe('code_not_found');
    expect(await upgrade(guest.id, email)).toBe('ok');
    expect(await upgrade(guest.id, email)).toBe('not_authorized');
  });

  it('rejects an address that has an account with email_exists, and reveals that by code only to its owner', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const { user: guest, token } = await guestOf(test);
    for (const { email } of [await verifiedUser(test), await unverifiedUser(test)]) {
      const input = { userId: guest.id, email: email! };
      const code = await codeFor(test, guest.id, email!);
      expect(await outcomeOf(() => emailCode.upgradeGuest({ ...input, code: `${code}0` }))).toBe(
        'code_invalid',
      );
      expect(await outcomeOf(() => emailCode.upgradeGuest({ ...input, code }))).toBe('email_exists');
      expect(await outcomeOf(() => emailPassword.upgradeGuest({ ...input, password }))).toBe('email_exists');
    }
    // The guest remains a guest, and signed in.
    expect(await test.service.getSessionUser(token)).toEqual(guest);
    expect(await test.service.sessionsProvider.isGuest(guest.id)).toBe(true);
  });

  it('gives an address to one of several concurrent guests, and upgrades a guest once', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const email = uniqueEmail();
    const guests = await Promise.all([1, 2, 3, 4].map(() => guestOf(test)));
    const codes: string[] = [];
    for (const { user } of guests) codes.push(await codeFor(test, user.id, email));
    const byAddress = await race(4, (index) =>
      emailCode.upgradeGuest({ userId: guests[index]!.user.id, email, code: codes[index]! }),
    );
    expect(byAddress).toEqual({ ok: 1, email_exists: 3 });
    const { user } = await guestOf(test);
    const addresses = [uniqueEmail(), uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const byGuest = await race(4, (index) =>
      emailPassword.upgradeGuest({ userId: user.id, email: addresses[index]!, password }),
    );
    expect(byGuest).toEqual({ ok: 1, not_authorized: 3 });
  });

  it('rejects a user who is not a guest with not_authorized, and an unknown user with user_not_found', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const attemptsFor = (userId: string) => [
      () => emailCode.sendUpgradeCode({ userId, email: uniqueEmail() }),
      () => emailCode.upgradeGuest({ userId, email: uniqueEmail(), code: '123456' }),
      () => emailPassword.upgradeGuest({ userId, email: uniqueEmail(), password }),
    ];
    const { id } = await verifiedUser(test);
    test.mail.clear();
    for (const attempt of attemptsFor(id)) expect(await outcomeOf(attempt)).toBe('not_authorized');
    for (const odd of invalidIds) {
      for (const attempt of attemptsFor(odd as string))
        expect(await outcomeOf(attempt)).toBe('user_not_found');
    }
    expect(test.mail.messages).toEqual([]);
  });

  it('rejects weak passwords, malformed addresses and missing codes', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const { id: userId } = (await guestOf(test)).user;
    const [email] = [uniqueEmail()];
    expect(await outcomeOf(() => emailPassword.upgradeGuest({ userId, email, password: 'short' }))).toBe(
      'weak_password',
    );
    for (const odd of [undefined, 42, '', 'x']) {
      const to = odd as string;
      expect(await outcomeOf(() => emailPassword.upgradeGuest({ userId, email: to, password }))).toBe(
        'invalid_request',
      );
      expect(await outcomeOf(() => emailCode.sendUpgradeCode({ userId, email: to }))).toBe('invalid_request');
    }
    const code = undefined as unknown as string;
    expect(await outcomeOf(() => emailCode.upgradeGuest({ userId, email, code }))).toBe('invalid_request');
  });

  it('limits messages per guest and per address', async () => {
    const test = await makePro();
    const { id: userId } = (await guestOf(test)).user;
    const send = (id: string, email: string) =>
      outcomeOf(() => test.service.emailCode.sendUpgradeCode({ userId: id, email }));
    for (let i = 0; i < 5; i += 1) expect(await send(userId, uniqueEmail())).toBe('ok');
    expect(await send(userId, uniqueEmail())).toBe('rate_limit_exceeded');
    const email = uniqueEmail();
    for (let i = 0; i < 5; i += 1) expect(await send((await guestOf(test)).user.id, email)).toBe('ok');
    expect(await send((await guestOf(test)).user.id, email)).toBe('rate_limit_exceeded');
  });

  it('limits wrong codes per guest, per address and per client', async () => {
    const test = await makePro({ rateLimit: { maxPerWindow: 100 }, code: { maxAttempts: 100 } });
    const { emailCode } = test.service;
    const client = { ip: '198.51.100.12' };
    const guess = async (userId: string, email: string) => {
      const code = differentCode(await codeFor(test, userId, email));
      return outcomeOf(() => emailCode.upgradeGuest({ userId, email, code }, client));
    };
    const email = uniqueEmail();
    // Ten guests for one mailbox, with one guess each.
    for (let i = 0; i < 10; i += 1)
      expect(await guess((await guestOf(test)).user.id, email)).toBe('code_invalid');
    const { id } = (await guestOf(test)).user;
    expect(await guess(id, email)).toBe('rate_limit_exceeded');
    for (let i = 0; i < 10; i += 1) expect(await guess(id, uniqueEmail())).toBe('code_invalid');
    expect(await guess(id, uniqueEmail())).toBe('rate_limit_exceeded');
    // A sign-in with the same mailbox has its own limit.
    await emailCode.sendCode({ email });
    const code = test.mail.lastCode(email)!;
    expect(await outcomeOf(() => emailCode.verify({ email, code }))).toBe('ok');
    for (let i = 20; i < 200; i += 1) await guess((await guestOf(test)).user.id, uniqueEmail());
    expect(await guess((await guestOf(test)).user.id, uniqueEmail())).toBe('rate_limit_exceeded');
  });

  it('asks a client for a challenge before the mail, and before an account with a password', async () => {
    const test = await makePro({ signUp: { challenge: { after: 0, cost: 1 } } });
    const { emailCode, emailPassword } = test.service;
    const { id: userId } = (await guestOf(test)).user;
    const client = { ip: '198.51.100.11' };
    const steps = [
      (more: object) => emailCode.sendUpgradeCode({ userId, email: uniqueEmail(), ...more }, client),
      (more: object) =>
        emailPassword.upgradeGuest({ userId, email: uniqueEmail(), password, ...more }, client),
    ];
    for (const step of steps) {
      const refusal = (await errorOf(() => step({}))) as unknown as ChallengeRequiredError;
      expect(refusal.code).toBe('challenge_required');
      const challengeSolution = await solveProofOfWork(refusal.challenge);
      expect(await outcomeOf(() => step({ challengeSolution }))).toBe('ok');
    }
  });
});
