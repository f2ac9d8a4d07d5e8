/** Races for identities, guests, addresses and claims: what makes an account somebody's. */
import { randomUUID } from 'node:crypto';
import { queryOf } from '../../../support/calls.js';
import {
  codeFor,
  countLive,
  guest,
  moving,
  oneWinner,
  scenario,
  verifiedUser,
  winners,
  type World,
} from '../scenario.js';

const password = 'correct horse battery';
const refusedCodes = ['code_not_found', 'code_invalid', 'max_attempts_exceeded', 'rate_limit_exceeded'];

/** Somebody at the identity provider who comes back by this many callbacks, each of a sign-in of its own. */
async function callbacks({ service, idp, person }: World, via: 'google' | 'oauth', count = 10) {
  const [subject, email] = [randomUUID(), person()];
  idp.accounts.set(subject, { email, email_verified: true });
  const provider = via === 'google' ? service.google : service.oauth('acme');
  const made = [];
  for (let i = 0; i < count; i += 1) {
    const { url, transaction } = await provider.startRedirect();
    made.push([queryOf(await idp.signIn(url, subject)), transaction]);
  }
  return { subject, email, made };
}

async function guests(world: World, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i += 1) made.push(await guest(world));
  return made;
}

export const accounts = [
  ...(['google', 'oauth'] as const).flatMap((via) => [
    scenario({
      name: `first sign-ins of one person by ${via} make one user, whatever callback comes first`,
      refusals: ['oauth_error'],
      prepare: (world) => callbacks(world, via),
      call: ({ made }, index) => ({
        method: `${via}.finishRedirect`,
        args: made[index % made.length]!,
        tell: 'user.id',
      }),
      async expect(seen, { email }, { adapter }) {
        // One for each transaction, and all as the same user.
        expect(winners(seen)).toBe(10);
        expect([...new Set(seen.told)]).toEqual([(await adapter.users.findByEmail(email))?.id]);
        expect(await adapter.identities.listForUser(seen.told[0]!)).toHaveLength(1);
      },
    }),
    scenario({
      name: `a callback of ${via} signs in once`,
      refusals: ['oauth_error'],
      prepare: (world) => callbacks(world, via, 1),
      call: ({ made }) => ({ method: `${via}.finishRedirect`, args: made[0]! }),
      expect({ tally }) {
        expect(tally).toEqual(oneWinner('oauth_error'));
      },
    }),
  ]),
  scenario({
    name: 'an account at a provider is linked to one of the users who want it',
    refusals: ['oauth_error'],
    async prepare(world) {
      const { idp, service } = world;
      const subject = randomUUID();
      idp.accounts.set(subject, {});
      const wishes: [string, object][] = [];
      for (let i = 0; i < 10; i += 1) {
        const { id } = await verifiedUser(world);
        const { url, codeVerifier } = await service.oauth('acme').getAuthUrl();
        const code = (await idp.signIn(url, subject)).searchParams.get('code');
        wishes.push([id, { code, codeVerifier }]);
      }
      return { subject, wishes };
    },
    call: ({ wishes }, index) => ({ method: 'oauth.linkIdentity', args: wishes[index % wishes.length]! }),
    async expect(seen, { subject, wishes }, { adapter }) {
      expect(winners(seen)).toBe(1);
      const owner = await adapter.identities.findUser('acme', subject);
      expect(wishes.map(([id]) => id)).toContain(owner?.id);
    },
  }),
  scenario({
    name: 'of two ways in that are unlinked at once one stays',
    refusals: ['invalid_request'],
    async prepare(world) {
      const { service, adapter } = world;
      const userId = await guest(world);
      await service.sessionsProvider.upgrade({ userId, provider: 'acme', providerAccountId: userId });
      const another = { id: randomUUID(), userId, provider: 'google', providerAccountId: userId };
      const { epoch } = (await adapter.users.findById(userId))!;
      await adapter.identities.link({ ...another, createdAt: new Date(world.clock.now()) }, epoch);
      return { userId, identities: await service.identities.list(userId) };
    },
    call: ({ userId, identities }, index) => ({
      method: 'identities.unlink',
      args: [userId, identities[index % 2]!.id],
    }),
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(_seen, { userId, identities }, { service }) {
      expect(identities).toHaveLength(2);
      expect(await service.identities.list(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'a guest becomes a user once, by the identity of the winner',
    refusals: ['not_authorized'],
    prepare: guest,
    call: (userId, index) => ({
      method: 'sessionsProvider.upgrade',
      args: [{ userId, provider: 'acme', providerAccountId: `${userId} ${index}` }],
    }),
    async expect({ tally, outcomes }, userId, { service }) {
      expect(tally).toEqual(oneWinner('not_authorized'));
      expect(await service.identities.list(userId)).toMatchObject([
        { providerAccountId: `${userId} ${outcomes.indexOf('ok')}` },
      ]);
    },
  }),
  scenario({
    name: 'a number makes one of the guests who have it a user',
    refusals: ['not_authorized'],
    prepare: async (world) => ({ phone: world.phone(), ids: await guests(world, 10) }),
    call: ({ phone, ids }, index) => ({
      method: 'sessionsProvider.upgrade',
      args: [{ userId: ids[index % ids.length], provider: 'phone', providerAccountId: phone }],
    }),
    async expect(seen, { phone, ids }, { adapter }) {
      expect(winners(seen)).toBe(1);
      expect(ids).toContain((await adapter.identities.findUser('phone', phone))?.id);
    },
  }),
  scenario({
    name: 'an address makes one of the guests who choose it a user, with the password of the winner',
    refusals: ['not_authorized', 'email_exists'],
    prepare: async (world) => ({ email: world.person(), ids: await guests(world, 10) }),
    call: ({ email, ids }, index) => ({
      method: 'emailPassword.upgradeGuest',
      args: [{ userId: ids[index % ids.length], email, password: `${password} ${index}` }],
      tell: 'user.id',
    }),
    async expect(seen, { email }, { service }) {
      expect(winners(seen)).toBe(1);
      const winner = seen.outcomes.findIndex((outcome) => outcome.startsWith('ok'));
      const { user } = await service.emailPassword.login({ email, password: `${password} ${winner}` });
      expect(seen.told).toEqual([user.id]);
    },
  }),
  scenario({
    name: 'a guest becomes a user by a mailed code once',
    refusals: ['not_authorized', ...refusedCodes],
    async prepare(world) {
      const [userId, email] = [await guest(world), world.person()];
      await world.service.emailCode.sendUpgradeCode({ userId, email });
      return { userId, email, code: world.mail.lastCode(email) };
    },
    call: (input) => ({ method: 'emailCode.upgradeGuest', args: [input] }),
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(seen, { userId }, { service }) {
      expect(winners(seen)).toBe(1);
      expect(await service.sessionsProvider.isGuest(userId)).toBe(false);
    },
  }),
  scenario({
    name: 'a change of the address is confirmed once',
    refusals: ['token_invalid', ...refusedCodes],
    prepare: (world) => moving(world),
    call: (input) => ({ method: 'account.confirmEmailChange', args: [input] }),
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(seen, { userId, email }, { adapter }) {
      expect(winners(seen)).toBe(1);
      expect(seen.events.filter((name) => name === 'email.changed')).toHaveLength(1);
      expect(await adapter.users.findById(userId)).toMatchObject({ email, epoch: 1 });
    },
  }),
  scenario({
    name: 'of users who move to one address, and somebody who signs up with it, one gets it',
    refusals: ['email_exists', 'token_invalid', ...refusedCodes],
    options: { rateLimit: { maxPerWindow: 20 } },
    async prepare(world) {
      const email = world.person();
      const wishes = [];
      for (let i = 0; i < 9; i += 1) wishes.push(await moving(world, email));
      return { email, wishes };
    },
    call: ({ email, wishes }, index) =>
      index % 10 === 9
        ? { method: 'emailPassword.signup', args: [{ email, password }] }
        : { method: 'account.confirmEmailChange', args: [wishes[index % 10]] },
    expect(seen) {
      expect(winners(seen)).toBe(1);
    },
  }),
  scenario({
    name: 'an address is proven from within by one code, which nobody else can use',
    refusals: refusedCodes,
    async prepare(world) {
      const { service, mail, person } = world;
      const email = person();
      const { user } = await service.emailPassword.signup({ email, password });
      await service.account.sendVerification(user.id);
      return { userId: user.id, code: mail.lastCode(email), other: (await verifiedUser(world)).id };
    },
    call: ({ userId, code }) => ({ method: 'account.verifyEmail', args: [{ userId, code }] }),
    async expect(_seen, { userId }, { adapter }) {
      expect(await adapter.users.findById(userId)).toMatchObject({ emailVerified: true, epoch: 0 });
    },
  }),
  scenario({
    name: 'a claim is made once, and no sign-in with the password before it survives it',
    refusals: ['invalid_credentials', 'token_invalid', ...refusedCodes],
    async prepare(world) {
      const email = world.person();
      await world.service.emailPassword.signup({ email, password });
      return { email, code: await codeFor(world, email) };
    },
    call: ({ email, code }, index) => ({
      ...(index % 10 === 5
        ? { method: 'emailCode.verify', args: [{ email, code }, { startSession: true }] }
        : { method: 'emailPassword.login', args: [{ email, password }, { startSession: true }] }),
      tell: 'session.token',
    }),
    async expect({ outcomes, events }, { email }, world) {
      const tokensOf = (wanted: boolean) =>
        outcomes
          .filter((outcome, i) => (i % 10 === 5) === wanted && outcome.startsWith('ok:'))
          .map((outcome) => outcome.slice('ok:'.length));
      expect(events.filter((name) => name === 'user.claimed')).toHaveLength(1);
      expect(tokensOf(true)).toHaveLength(1);
      expect(await countLive(world, tokensOf(true))).toBe(1);
      expect(await countLive(world, tokensOf(false))).toBe(0);
      expect((await world.adapter.users.findByEmail(email))?.passwordHash).toBeNull();
    },
  }),
  scenario({
    name: 'a reset that is a claim leaves nothing that was made with the password before it',
    options: { allowUnverified: true },
    refusals: ['invalid_credentials', 'token_invalid', 'rate_limit_exceeded'],
    async prepare(world) {
      const { service, mail } = world;
      const email = world.person();
      const { user } = await service.emailPassword.signup({ email, password });
      await service.emailPassword.requestReset({ email });
      await service.close();
      return { email, userId: user.id, token: new URL(mail.lastLink(email)!).searchParams.get('token') };
    },
    call: ({ email, userId, token }, index) =>
      [
        { method: 'emailPassword.login', args: [{ email, password }, { startSession: true }] },
        { method: 'refresh.issue', args: [{ userId }] },
        { method: 'totp.beginEnrollment', args: [userId] },
        { method: 'apiKeys.create', args: [{ userId, name: 'CI' }] },
        { method: 'emailPassword.setPassword', args: [{ token, newPassword: `new ${password}` }] },
      ][index % 5]!,
    async expect({ outcomes }, { email, userId }, { service, adapter }) {
      const resets = outcomes.filter((outcome, i) => i % 5 === 4 && outcome === 'ok');
      expect(resets).toHaveLength(1);
      // From elsewhere: the client of the race may have failed too often by now.
      const old = service.emailPassword.login({ email, password }, { ip: '192.0.2.11' });
      await expect(old).rejects.toMatchObject({ code: 'invalid_credentials' });
      // What the application made for the user after the reset may be there, what came before may not.
      const { epoch } = (await adapter.users.findById(userId))!;
      const families = await adapter.refreshFamilies!.listForUser(userId);
      expect(families.filter((family) => family.epoch !== epoch)).toEqual([]);
    },
  }),
  scenario({
    name: 'a user is deleted once, and nothing that was made in that moment is left',
    refusals: [
      ...['user_not_found', 'token_invalid', 'org_error', 'not_authorized', 'rate_limit_exceeded'],
      ...['refresh_token_invalid'],
    ],
    async prepare(world) {
      const { service } = world;
      const user = await verifiedUser(world);
      await service.emailPassword.requestReset({ email: user.email! });
      await service.close();
      const owner = await verifiedUser(world);
      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      const { token } = await service.orgs.invite({ orgId: org.id, email: user.email! });
      const refresh = await service.refresh.issue({ userId: user.id });
      return {
        userId: user.id,
        orgId: org.id,
        token,
        refreshToken: refresh.refreshToken,
        to: world.person(),
      };
    },
    call({ userId, orgId, token, refreshToken, to }, index) {
      const deletion = { method: 'account.deleteUser', args: [userId], tell: '' };
      const others = [
        { method: 'sessionsProvider.create', args: [{ userId }] },
        { method: 'refresh.issue', args: [{ userId }] },
        { method: 'refresh.refresh', args: [refreshToken] },
        { method: 'apiKeys.create', args: [{ userId, name: 'CI' }] },
        { method: 'totp.beginEnrollment', args: [userId] },
        { method: 'webauthn.startRegistration', args: [userId] },
        { method: 'webauthn.startAuthentication', args: [userId] },
        { method: 'orgs.addMember', args: [orgId, userId, 'admin'] },
        { method: 'orgs.acceptInvite', args: [token, userId] },
        { method: 'orgs.invite', args: [{ orgId, email: to, invitedByUserId: userId }] },
        { method: 'orgs.removeMember', args: [orgId, userId] },
        { method: 'account.requestEmailChange', args: [{ userId, email: to }] },
        { method: 'sessionsProvider.revokeAll', args: [userId] },
        { method: 'account.exportData', args: [userId] },
      ];
      return index % 5 === 4 ? deletion : others[index % others.length]!;
    },
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect({ tally, events }, { userId, orgId }, { adapter, service, clock }) {
      expect(tally['ok:undefined']).toBe(1);
      expect(events.filter((name) => name === 'user.deleted')).toHaveLength(1);
      expect(await adapter.users.findById(userId)).toBeNull();
      const { accounts: rows, refreshFamilies, apiKeys, credentials, totp, orgs, sessions } = adapter;
      const left = [
        ...(await rows!.listSessions(userId)),
        ...(await sessions.listLive(userId, new Date(clock.now()))),
        ...(await refreshFamilies!.listForUser(userId)),
        ...(await apiKeys!.list({ userId })),
        ...(await credentials!.listForUser(userId)),
        ...(await adapter.identities.listForUser(userId)),
        ...(await orgs!.listForUser(userId)),
        ...(await orgs!.listInvitesOf({ userId, email: null })),
      ];
      expect([left, await totp!.find(userId), await totp!.countRecoveryCodes(userId)]).toEqual([[], null, 0]);
      expect(await service.orgs.listMembers(orgId)).toHaveLength(1);
    },
  }),
];
