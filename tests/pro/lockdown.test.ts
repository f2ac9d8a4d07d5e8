/** `service.lockdown()`: whom it concerns, what it refuses, and what runs at the same time. */
import { internals } from '../../src/core/internals.js';
import { signUp } from '../support/cached-sessions.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, unknownId } from '../support/make-pro-service.js';
import type { TestService } from '../support/make-service.js';

describeAdapters('service.lockdown()', (context) => {
  const { uniqueEmail } = context;
  const { makePro } = proFixtures(context);
  const person = (made: TestService) => signUp(made, uniqueEmail());
  const isValid = ({ service }: TestService, token: string) =>
    service.getSessionUser(token).then(
      () => true,
      () => false,
    );

  it('ends the sessions of all users, and lets users sign in at once', async () => {
    const made = await makePro();
    const [one, two] = [await person(made), await person(made)];
    await made.takeEvents();
    expect(await made.service.lockdown({})).toEqual({ users: null });
    expect(await Promise.all([one, two].map(({ token }) => isValid(made, token)))).toEqual([false, false]);
    expect(await made.takeEvents()).toEqual([
      { name: 'lockdown.started', payload: { orgId: null, userId: null, actor: { type: 'system' } } },
    ]);
    const login = { email: one.email, password: 'correct horse battery' };
    const { session } = await made.service.emailPassword.login(login, { startSession: true });
    expect(await isValid(made, session!.token)).toBe(true);
    const newcomer = await person(made);
    expect(await isValid(made, newcomer.token)).toBe(true);
  });

  it('ends the sessions of the members of an organization, and of a user', async () => {
    const made = await makePro({ providers: { orgs: { allowUnverified: true } } });
    const [owner, other] = [await person(made), await person(made)];
    const { org } = await made.service.orgs.create({ name: 'Acme', ownerUserId: owner.userId });
    expect(await made.service.lockdown({ orgId: org.id })).toEqual({ users: 1 });
    expect(await isValid(made, owner.token)).toBe(false);
    expect(await isValid(made, other.token)).toBe(true);
    expect(await made.service.lockdown({ userId: other.userId })).toEqual({ users: 1 });
    expect(await isValid(made, other.token)).toBe(false);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an orgId that is undefined', { orgId: undefined }],
    ['a userId that is null', { userId: null }],
    ['both ids', { orgId: unknownId, userId: unknownId }],
    ['an unknown key', { orgID: unknownId }],
  ])('refuses %s and ends no session', async (_name, input) => {
    const made = await makePro();
    const { token } = await person(made);
    await expect(made.service.lockdown(input as never)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await isValid(made, token)).toBe(true);
  });

  it('refuses an unknown user and an unknown organization', async () => {
    const { service } = await makePro();
    await expect(service.lockdown({ userId: unknownId })).rejects.toMatchObject({ code: 'user_not_found' });
    await expect(service.lockdown({ orgId: unknownId })).rejects.toMatchObject({ code: 'org_error' });
  });

  it('refuses an administrator whose sessions have ended', async () => {
    const made = await makePro();
    const [admin, user] = [await person(made), await person(made)];
    const by = { actor: { type: 'user' as const, id: admin.userId }, sessionEpoch: 1 };
    await expect(made.service.lockdown({}, by)).rejects.toMatchObject({ code: 'token_invalid' });
    expect(await isValid(made, user.token)).toBe(true);
    await made.service.lockdown({}, { ...by, sessionEpoch: 0 });
    expect(await isValid(made, admin.token)).toBe(false);
  });

  it('ends what a sign-in, a renewal and a change of the password create at the same time', async () => {
    const made = await makePro({ session: { renewAfterMs: 1000 } });
    const { service, clock } = made;
    const user = await person(made);
    const { sessions } = service[internals];
    clock.advance(2_000);
    const checked = await sessions.check(user.token);
    await service.lockdown({});
    const renewed = await sessions.renewSession(checked);
    if (renewed) expect(await isValid(made, renewed.token)).toBe(false);
    const stale = (await service[internals].storage.users.findById(user.userId))!;
    await service.lockdown({});
    await expect(sessions.issueSession(stale, {})).rejects.toMatchObject({ code: 'token_invalid' });
    const passwords = { currentPassword: 'correct horse battery', newPassword: 'another good password' };
    await expect(
      service.emailPassword.changePassword(
        { userId: user.userId, ...passwords },
        { sessionEpoch: stale.epoch, sessionToken: user.token, startSession: true },
      ),
    ).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('ends refresh families and leaves API keys unless it is asked to revoke them', async () => {
    const made = await makePro({ providers: { apiKeys: { allowUnverified: true, scopes: ['read'] } } });
    const { userId } = await person(made);
    const { refreshToken } = await made.service.refresh.issue({ userId });
    const { key } = await made.service.apiKeys.create({ userId, name: 'CI' });
    await made.service.lockdown({});
    await expect(made.service.refresh.refresh(refreshToken)).rejects.toMatchObject({
      code: 'refresh_token_invalid',
    });
    expect((await made.service.apiKeys.verify(key)).userId).toBe(userId);
    await made.service.lockdown({ apiKeys: true });
    await expect(made.service.apiKeys.verify(key)).rejects.toThrow();
  });
});
