// Guests who become users by an email code or a password (docs/decisions/guests.md; docs/security-requirements.md C-29).
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, oddIds, pro, type ProService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

const password = 'correct horse battery';

describeAdapters('Guests who become users', ({ make, person }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });
  const guestOf = ({ service }: ProService) => service.sessionsProvider.createGuest();

  async function codeFor(test: ProService, userId: string, email: string): Promise<string> {
    await test.service.emailCode.sendUpgradeCode({ userId, email });
    return test.mail.lastCode(email)!;
  }

  it('by a code: the id stays, the address is verified, the guest’s tokens end', async () => {
    const test = await makePro();
    const { service } = test;
    const { user: guest, token } = await guestOf(test);
    const { token: bare } = service.createSessionToken(guest.id);
    const email = person();
    await test.heard();
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
    expect(await test.heard()).toEqual([
      { name: 'code.sent', payload: { purpose: 'guest_upgrade' } },
      { name: 'user.upgraded', payload: { userId: guest.id } },
      { name: 'session.created', payload: { userId: guest.id, sessionId: session!.session.id } },
    ]);
    expect((await verifiedUser(test, email)).id).toBe(guest.id);
  });

  it('by a password: the address is unverified, as after a signup, and its owner may claim it', async () => {
    const test = await makePro();
    const { service } = test;
    const { user: guest, token } = await guestOf(test);
    const email = person();
    const { user, session } = await service.emailPassword.upgradeGuest({ userId: guest.id, email, password });
    expect(user).toMatchObject({ id: guest.id, email, emailVerified: false });
    expect(session).toBeUndefined();
    expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
    expect((await service.emailPassword.login({ email, password })).user.id).toBe(guest.id);
    await test.heard();
    expect((await verifiedUser(test, email)).id).toBe(guest.id);
    expect(await test.heardNames()).toContain('user.claimed');
    expect(await outcomeOf(() => service.emailPassword.login({ email, password }))).toBe(
      'invalid_credentials',
    );
  });

  it('a code is for one guest and one address, and no sign-in', async () => {
    const test = await makePro();
    const { emailCode } = test.service;
    const [{ user: one }, { user: other }] = [await guestOf(test), await guestOf(test)];
    const email = person();
    const code = await codeFor(test, one.id, email);
    await codeFor(test, other.id, person());
    const upgrade = (userId: string, to: string) =>
      outcomeOf(() => emailCode.upgradeGuest({ userId, email: to, code }));
    expect(await upgrade(other.id, email)).toBe('code_invalid');
    expect(await upgrade(one.id, person())).toBe('code_invalid');
    expect(await outcomeOf(() => emailCode.verify({ email, code }))).toBe('code_not_found');
    expect(await upgrade(one.id, email)).toBe('ok');
    expect(await upgrade(one.id, email)).toBe('not_authorized');
  });

  it('never merge: an address that has an account is email_exists, told by code only to its owner', async () => {
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
    // And stay guests, signed in.
    expect(await test.service.getSessionUser(token)).toEqual(guest);
    expect(await test.service.sessionsProvider.isGuest(guest.id)).toBe(true);
  });

  it('of guests who want one address at once, one gets it; of parallel upgrades of a guest, one is made', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const email = person();
    const guests = await Promise.all([1, 2, 3, 4].map(() => guestOf(test)));
    const codes: string[] = [];
    for (const { user } of guests) codes.push(await codeFor(test, user.id, email));
    const wanted = await race(4, (index) =>
      emailCode.upgradeGuest({ userId: guests[index]!.user.id, email, code: codes[index]! }),
    );
    expect(wanted).toEqual({ ok: 1, email_exists: 3 });
    const { user } = await guestOf(test);
    const addresses = [person(), person(), person(), person()];
    const made = await race(4, (index) =>
      emailPassword.upgradeGuest({ userId: user.id, email: addresses[index]!, password }),
    );
    expect(made).toEqual({ ok: 1, not_authorized: 3 });
  });

  it('who is no guest is not_authorized, who is nobody user_not_found', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const ways = (userId: string) => [
      () => emailCode.sendUpgradeCode({ userId, email: person() }),
      () => emailCode.upgradeGuest({ userId, email: person(), code: '123456' }),
      () => emailPassword.upgradeGuest({ userId, email: person(), password }),
    ];
    const { id } = await verifiedUser(test);
    test.mail.clear();
    for (const way of ways(id)) expect(await outcomeOf(way)).toBe('not_authorized');
    for (const odd of oddIds) {
      for (const way of ways(odd as string)) expect(await outcomeOf(way)).toBe('user_not_found');
    }
    expect(test.mail.messages).toEqual([]);
  });

  it('a password is held against the policy, and addresses and codes are what they must be', async () => {
    const test = await makePro();
    const { emailCode, emailPassword } = test.service;
    const { id: userId } = (await guestOf(test)).user;
    const [email] = [person()];
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

  it('sends are limited per guest and per address', async () => {
    const test = await makePro();
    const { id: userId } = (await guestOf(test)).user;
    const send = (id: string, email: string) =>
      outcomeOf(() => test.service.emailCode.sendUpgradeCode({ userId: id, email }));
    for (let i = 0; i < 5; i += 1) expect(await send(userId, person())).toBe('ok');
    expect(await send(userId, person())).toBe('rate_limit_exceeded');
    const email = person();
    for (let i = 0; i < 5; i += 1) expect(await send((await guestOf(test)).user.id, email)).toBe('ok');
    expect(await send((await guestOf(test)).user.id, email)).toBe('rate_limit_exceeded');
  });
});
