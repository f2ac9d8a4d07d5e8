// Calls on behalf of a user by programs follow the same rules as the routes.
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { encryptionKey } from '../support/every-provider.js';
import { unknownId, proFixtures } from '../support/make-pro-service.js';
import { errorOf, runInSequence, outcomeOf, tallyOf } from '../support/outcomes.js';
import { softwareAuthenticator } from 'svc-auth/testing';

describeAdapters('Calls with an acting user', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser, userWithoutAddress } = proFixtures({ make, uniqueEmail });

  async function scene(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
    return { test, user, other, acting: { actingUserId: user.id } };
  }

  it('limits the scopes of keys to those of the option, except for the system', async () => {
    const { test, user, acting } = await scene();
    const { apiKeys, orgs } = test.service;
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    for (const owner of [{ userId: user.id }, { orgId: org.id }]) {
      const create = (scopes: string[], by?: typeof acting) =>
        outcomeOf(() => apiKeys.create({ ...owner, name: 'CI', scopes }, by));
      expect(await create(['read'], acting)).toBe('ok');
      expect(await create(['read', 'admin'], acting)).toBe('invalid_request');
      expect(await create(['admin'])).toBe('ok');
    }
  });

  it('limits keys to 100 in 24 hours, without rejected ones, except for the system', async () => {
    const { test, user, acting } = await scene();
    const { apiKeys, orgs } = test.service;
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    const create = (i: number) =>
      apiKeys.create({ ...(i % 2 ? { userId: user.id } : { orgId: org.id }), name: 'CI' }, acting);
    expect(await outcomeOf(() => apiKeys.create({ orgId: unknownId, name: 'CI' }, acting))).toBe(
      'not_authorized',
    );
    expect(tallyOf(await runInSequence(101, create))).toEqual({ ok: 100, rate_limit_exceeded: 1 });
    expect(await outcomeOf(() => apiKeys.create({ userId: user.id, name: 'CI' }))).toBe('ok');
  });

  it('limits organizations to 20 in 24 hours, with rejected ones, except for the system', async () => {
    const { test, user, acting } = await scene();
    const { orgs } = test.service;
    const create = (slug?: string) => orgs.create({ name: 'Acme', slug, ownerUserId: user.id }, acting);
    const { org } = await create();
    expect(await outcomeOf(() => create(org.slug))).toBe('org_error');
    expect(tallyOf(await runInSequence(19, () => create()))).toEqual({ ok: 18, rate_limit_exceeded: 1 });
    expect(await outcomeOf(() => orgs.create({ name: 'Acme', ownerUserId: user.id }))).toBe('ok');
  });

  it('creates organizations and keys, and lists keys, for the acting user only', async () => {
    const { test, other, acting } = await scene();
    const { apiKeys, orgs } = test.service;
    const attempts = [
      () => orgs.create({ name: 'Acme', ownerUserId: other.id }, acting),
      () => apiKeys.create({ userId: other.id, name: 'CI' }, acting),
      () => apiKeys.list({ userId: other.id }, acting),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt)).toBe('not_authorized');
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: other.id });
    expect(await outcomeOf(() => apiKeys.list({ orgId: org.id }, acting))).toBe('not_authorized');
    expect(await outcomeOf(() => apiKeys.list({ orgId: unknownId }, acting))).toBe('not_authorized');
  });

  it('revokes devices and keys of the acting user only, and ignores others', async () => {
    const { test, user, other, acting } = await scene();
    const { apiKeys, orgs, sessionsProvider } = test.service;
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    const [own, theirs] = await Promise.all(
      [user, other].map(({ id }) => sessionsProvider.create({ userId: id })),
    );
    const keys = await Promise.all(
      [{ userId: user.id }, { userId: other.id }, { orgId: org.id }].map((owner) =>
        apiKeys.create({ ...owner, name: 'CI' }),
      ),
    );
    for (const { session } of [own!, theirs!]) await sessionsProvider.revokeDevice(session.id, acting);
    for (const { record } of keys) await apiKeys.revoke(record.id, acting);
    expect(await sessionsProvider.listDevices(user.id)).toEqual([]);
    expect(await sessionsProvider.listDevices(other.id)).toHaveLength(1);
    const outcomes = await Promise.all(keys.map(({ key }) => outcomeOf(() => apiKeys.verify(key))));
    expect(outcomes).toEqual(['api_key_invalid', 'ok', 'ok']);
    for (const odd of [null, {}, 'x', { actingUserId: 7 }, { actingUserId: undefined }]) {
      const revoke = () => sessionsProvider.revokeDevice(theirs!.session.id, odd as never);
      expect(await outcomeOf(revoke)).toBe('invalid_request');
    }
  });

  it('keeps the session of the token in revokeOthers, and rejects the token of another user', async () => {
    const { test, user, other } = await scene();
    const { refresh, sessionsProvider } = test.service;
    const [kept, revoked, theirs] = await Promise.all(
      [user, user, other].map(({ id }) => sessionsProvider.create({ userId: id })),
    );
    const family = await refresh.issue({ userId: user.id });
    await test.takeEvents();
    for (const token of [theirs!.token, 'x', '', undefined as never]) {
      expect(await outcomeOf(() => sessionsProvider.revokeOthers(user.id, token))).toBe('token_invalid');
    }
    await sessionsProvider.revokeOthers(user.id, kept!.token);
    expect((await sessionsProvider.listDevices(user.id)).map(({ id }) => id)).toEqual([kept!.session.id]);
    expect(await sessionsProvider.listDevices(other.id)).toHaveLength(1);
    expect(await outcomeOf(() => refresh.refresh(family.refreshToken))).toBe('refresh_token_invalid');
    expect(await test.takeEvents()).toEqual([
      { name: 'session.revoked', payload: { userId: user.id, sessionId: revoked!.session.id } },
      { name: 'refresh.all_revoked', payload: { userId: user.id } },
    ]);
    expect(await outcomeOf(() => sessionsProvider.revokeOthers(unknownId, kept!.token))).toBe(
      'user_not_found',
    );
  });

  it('accepts the id or the slug of an organization, and reveals neither to a stranger', async () => {
    const { test, user, other, acting } = await scene();
    const { apiKeys, orgs } = test.service;
    const { org, membership } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    for (const name of [org.id, org.slug]) {
      expect(await orgs.get(name, acting)).toEqual({ org, membership });
      const { record } = await apiKeys.create({ orgId: name, name: 'CI' }, acting);
      expect(record.orgId).toBe(org.id);
      expect(await apiKeys.list({ orgId: name }, acting)).toContainEqual(record);
      await apiKeys.revoke(record.id, { orgId: name, ...acting });
    }
    const stranger = { actingUserId: other.id };
    for (const name of [org.id, org.slug, unknownId, 'unknown']) {
      const attempts = [
        () => orgs.get(name, stranger),
        () => orgs.listMembers(name, stranger),
        () => orgs.listInvites(name, stranger),
        () => orgs.invite({ orgId: name, email: uniqueEmail(), invitedByUserId: other.id }),
        () => orgs.revokeInvite(name, unknownId, stranger),
        () => orgs.setRole(name, user.id, 'member', stranger),
        () => orgs.setRole(name, unknownId, 'member', stranger),
        () => orgs.removeMember(name, user.id, stranger),
        () => orgs.removeMember(name, other.id, stranger),
        () => orgs.delete(name, stranger),
        () => apiKeys.create({ orgId: name, name: 'CI' }, stranger),
      ];
      for (const attempt of attempts) expect(await outcomeOf(attempt)).toBe('not_authorized');
    }
    // For an admin, a user who is not a member and an unknown user are the same.
    for (const userId of [other.id, unknownId]) {
      expect(await outcomeOf(() => orgs.setRole(org.slug, userId, 'member', acting))).toBe('org_error');
      expect(await outcomeOf(() => orgs.removeMember(org.slug, userId, acting))).toBe('org_error');
    }
  });

  it('continues only the calling session after a change of the second factor', async () => {
    const { test, user } = await scene({ encryptionKey, providers: { totp: true } });
    const { sessionsProvider, totp } = test.service;
    const sessions = await Promise.all([0, 1].map(() => sessionsProvider.create({ userId: user.id })));
    let { token } = sessions[0]!;
    const context = () => ({ sessionToken: token, startSession: true }) as const;
    const check = async (session: { token: string } | undefined) => {
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('token_invalid');
      ({ token } = session!);
      expect((await test.service.getSessionUser(token)).id).toBe(user.id);
      expect(await sessionsProvider.listDevices(user.id)).toHaveLength(1);
    };
    const { secret } = await totp.beginEnrollment(user.id);
    const confirmed = await totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()), context());
    expect(confirmed.recoveryCodes).toHaveLength(10);
    await check(confirmed.session);
    expect(await totp.state(user.id)).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    const replaced = await totp.regenerateRecoveryCodes(user.id, context());
    expect(replaced.recoveryCodes).toHaveLength(10);
    await check(replaced.session);
    // Without a context no session continues, and a token without a row becomes no session.
    const { token: withoutRow } = test.service.createSessionToken(user.id);
    const plain = await totp.regenerateRecoveryCodes(user.id, {
      sessionToken: withoutRow,
      startSession: true,
    });
    expect(plain).not.toHaveProperty('session');
    expect(await totp.regenerateRecoveryCodes(user.id)).toHaveLength(10);
    expect(await sessionsProvider.listDevices(user.id)).toEqual([]);
    ({ token } = await sessionsProvider.create({ userId: user.id }));
    await check((await totp.disable(user.id, context())).session);
    expect(await totp.disable(user.id, context())).toEqual({});
    expect(await totp.disable(user.id)).toBeUndefined();
  });

  it('continues no session if all were revoked while the second factor changed', async () => {
    const { test, user } = await scene({ encryptionKey, providers: { totp: true } });
    const { sessionsProvider, totp } = test.service;
    const { token } = await sessionsProvider.create({ userId: user.id });
    const { secret } = await totp.beginEnrollment(user.id);
    await totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()));
    // The epoch of the token is two behind the current one.
    const late = () => totp.disable(user.id, { sessionToken: token, startSession: true });
    expect(await outcomeOf(late)).toBe('token_invalid');
    expect(await sessionsProvider.listDevices(user.id)).toEqual([]);
  });

  it('keeps the last sign-in method when a passkey is removed', async () => {
    const origin = 'https://app.test';
    const { test, user } = await scene({ providers: { webauthn: { rpId: 'app.test', origins: [origin] } } });
    const { webauthn } = test.service;
    const userWithoutEmail = await userWithoutAddress(test);
    const register = async (userId: string) => {
      const { options, challenge } = await webauthn.startRegistration(userId);
      const response = softwareAuthenticator({ origin }).create(options);
      return (await webauthn.finishRegistration({ userId, response, expectedChallenge: challenge }))
        .credential.id;
    };
    const [first, second] = [await register(userWithoutEmail.id), await register(userWithoutEmail.id)];
    await webauthn.removeCredential(userWithoutEmail.id, first);
    const error = await errorOf(() => webauthn.removeCredential(userWithoutEmail.id, second));
    expect([error['code'], error['reason']]).toEqual(['invalid_request', 'last_sign_in_method']);
    expect(await webauthn.listCredentials(userWithoutEmail.id)).toHaveLength(1);
    // An address is a sign-in method.
    await webauthn.removeCredential(user.id, await register(user.id));
  });

  it('issues no refresh family to an access token', async () => {
    const { test, user } = await scene();
    const { refresh } = test.service;
    const { familyId } = await refresh.issue({ userId: user.id }, { epoch: 0 });
    expect(await outcomeOf(() => refresh.issue({ userId: user.id }, { epoch: 0, familyId }))).toBe(
      'not_authorized',
    );
    expect(await outcomeOf(() => refresh.issue({ userId: user.id }, { epoch: 1 }))).toBe('token_invalid');
    expect(await outcomeOf(() => refresh.issue({ userId: user.id }, { epoch: '0' as never }))).toBe(
      'invalid_request',
    );
  });
});
