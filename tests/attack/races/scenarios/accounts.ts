/** Races for identities, guests, addresses and claims: everything that gives an account its owner. */
import { randomUUID } from 'node:crypto';
import { callbackQuery } from '../../../support/service-calls.js';
import {
  codeFor,
  countValidSessions,
  createGuest,
  requestEmailChange,
  oneWinner,
  scenario,
  verifiedUser,
  winners,
  type World,
} from '../scenario.js';

const password = 'correct horse battery';
const codeRefusals = ['code_not_found', 'code_invalid', 'max_attempts_exceeded', 'rate_limit_exceeded'];

/** Creates an account at the identity provider, and the callbacks of `count` sign-ins with it. */
async function callbacks({ service, idp, person }: World, via: 'google' | 'oauth', count = 10) {
  const [subject, email] = [randomUUID(), person()];
  idp.accounts.set(subject, { email, email_verified: true });
  const provider = via === 'google' ? service.google : service.oauth('acme');
  const args = [];
  for (let i = 0; i < count; i += 1) {
    const { url, transaction } = await provider.startRedirect();
    args.push([callbackQuery(await idp.signIn(url, subject)), transaction]);
  }
  return { subject, email, args };
}

async function guests(world: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await createGuest(world));
  return ids;
}

export const accounts = [
  ...(['google', 'oauth'] as const).flatMap((via) => [
    scenario({
      name: `creates one user from concurrent first sign-ins of one person by ${via}`,
      refusals: ['oauth_error'],
      prepare: (world) => callbacks(world, via),
      call: ({ args }, index) => ({
        method: `${via}.finishRedirect`,
        args: args[index % args.length]!,
        resultPath: 'user.id',
      }),
      async expect(result, { email }, { adapter }) {
        // One success for each transaction, and all with the same user.
        expect(winners(result)).toBe(10);
        expect([...new Set(result.values)]).toEqual([(await adapter.users.findByEmail(email))?.id]);
        expect(await adapter.identities.listForUser(result.values[0]!)).toHaveLength(1);
      },
    }),
    scenario({
      name: `signs in once per callback of ${via}`,
      refusals: ['oauth_error'],
      prepare: (world) => callbacks(world, via, 1),
      call: ({ args }) => ({ method: `${via}.finishRedirect`, args: args[0]! }),
      expect({ tally }) {
        expect(tally).toEqual(oneWinner('oauth_error'));
      },
    }),
  ]),
  scenario({
    name: 'links an account at a provider to one of several users',
    refusals: ['oauth_error'],
    async prepare(world) {
      const { idp, service } = world;
      const subject = randomUUID();
      idp.accounts.set(subject, {});
      const inputs: [string, object][] = [];
      for (let i = 0; i < 10; i += 1) {
        const { id } = await verifiedUser(world);
        const { url, codeVerifier } = await service.oauth('acme').getAuthUrl();
        const code = (await idp.signIn(url, subject)).searchParams.get('code');
        inputs.push([id, { code, codeVerifier }]);
      }
      return { subject, inputs };
    },
    call: ({ inputs }, index) => ({ method: 'oauth.linkIdentity', args: inputs[index % inputs.length]! }),
    async expect(result, { subject, inputs }, { adapter }) {
      expect(winners(result)).toBe(1);
      const owner = await adapter.identities.findUser('acme', subject);
      expect(inputs.map(([id]) => id)).toContain(owner?.id);
    },
  }),
  scenario({
    name: 'keeps one sign-in method when the last two are unlinked concurrently',
    refusals: ['invalid_request'],
    async prepare(world) {
      const { service, adapter } = world;
      const userId = await createGuest(world);
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
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(_seen, { userId, identities }, { service }) {
      expect(identities).toHaveLength(2);
      expect(await service.identities.list(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'upgrades a guest once, with the identity of the winner',
    refusals: ['not_authorized'],
    prepare: createGuest,
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
    name: 'upgrades one of several guests with the same phone number',
    refusals: ['not_authorized'],
    prepare: async (world) => ({ phone: world.phone(), ids: await guests(world, 10) }),
    call: ({ phone, ids }, index) => ({
      method: 'sessionsProvider.upgrade',
      args: [{ userId: ids[index % ids.length], provider: 'phone', providerAccountId: phone }],
    }),
    async expect(result, { phone, ids }, { adapter }) {
      expect(winners(result)).toBe(1);
      expect(ids).toContain((await adapter.identities.findUser('phone', phone))?.id);
    },
  }),
  scenario({
    name: 'upgrades one of several guests with the same email address, with the password of the winner',
    refusals: ['not_authorized', 'email_exists'],
    prepare: async (world) => ({ email: world.person(), ids: await guests(world, 10) }),
    call: ({ email, ids }, index) => ({
      method: 'emailPassword.upgradeGuest',
      args: [{ userId: ids[index % ids.length], email, password: `${password} ${index}` }],
      resultPath: 'user.id',
    }),
    async expect(result, { email }, { service }) {
      expect(winners(result)).toBe(1);
      const winner = result.outcomes.findIndex((outcome) => outcome.startsWith('ok'));
      const { user } = await service.emailPassword.login({ email, password: `${password} ${winner}` });
      expect(result.values).toEqual([user.id]);
    },
  }),
  scenario({
    name: 'upgrades a guest by a mailed code once',
    refusals: ['not_authorized', ...codeRefusals],
    async prepare(world) {
      const [userId, email] = [await createGuest(world), world.person()];
      await world.service.emailCode.sendUpgradeCode({ userId, email });
      return { userId, email, code: world.mail.lastCode(email) };
    },
    call: (input) => ({ method: 'emailCode.upgradeGuest', args: [input] }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(result, { userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(await service.sessionsProvider.isGuest(userId)).toBe(false);
    },
  }),
  scenario({
    name: 'confirms a change of email address once',
    refusals: ['token_invalid', ...codeRefusals],
    prepare: (world) => requestEmailChange(world),
    call: (input) => ({ method: 'account.confirmEmailChange', args: [input] }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(result, { userId, email }, { adapter }) {
      expect(winners(result)).toBe(1);
      expect(result.events.filter((name) => name === 'email.changed')).toHaveLength(1);
      expect(await adapter.users.findById(userId)).toMatchObject({ email, epoch: 1 });
    },
  }),
  scenario({
    name: 'gives an email address to one of several users who change to it and a signup',
    refusals: ['email_exists', 'token_invalid', ...codeRefusals],
    options: { rateLimit: { maxPerWindow: 20 } },
    async prepare(world) {
      const email = world.person();
      const changes = [];
      for (let i = 0; i < 9; i += 1) changes.push(await requestEmailChange(world, email));
      return { email, changes };
    },
    call: ({ email, changes }, index) =>
      index % 10 === 9
        ? { method: 'emailPassword.signup', args: [{ email, password }] }
        : { method: 'account.confirmEmailChange', args: [changes[index % 10]] },
    expect(result) {
      expect(winners(result)).toBe(1);
    },
  }),
  scenario({
    name: 'verifies the email address of an account by its code, without a claim',
    refusals: codeRefusals,
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
    name: 'claims an account once, and revokes every session that the earlier password started',
    refusals: ['invalid_credentials', 'token_invalid', ...codeRefusals],
    async prepare(world) {
      const email = world.person();
      await world.service.emailPassword.signup({ email, password });
      return { email, code: await codeFor(world, email) };
    },
    call: ({ email, code }, index) => ({
      ...(index % 10 === 5
        ? { method: 'emailCode.verify', args: [{ email, code }, { startSession: true }] }
        : { method: 'emailPassword.login', args: [{ email, password }, { startSession: true }] }),
      resultPath: 'session.token',
    }),
    async expect({ outcomes, events }, { email }, world) {
      const tokensOf = (wanted: boolean) =>
        outcomes
          .filter((outcome, i) => (i % 10 === 5) === wanted && outcome.startsWith('ok:'))
          .map((outcome) => outcome.slice('ok:'.length));
      expect(events.filter((name) => name === 'user.claimed')).toHaveLength(1);
      expect(tokensOf(true)).toHaveLength(1);
      expect(await countValidSessions(world, tokensOf(true))).toBe(1);
      expect(await countValidSessions(world, tokensOf(false))).toBe(0);
      expect((await world.adapter.users.findByEmail(email))?.passwordHash).toBeNull();
    },
  }),
  scenario({
    name: 'leaves nothing from before a reset that claims the account',
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
      // From another client: the client of the race may have reached its limit on failures.
      const old = service.emailPassword.login({ email, password }, { ip: '192.0.2.11' });
      await expect(old).rejects.toMatchObject({ code: 'invalid_credentials' });
      // What was created for the user after the reset may remain, what was created before must not.
      const { epoch } = (await adapter.users.findById(userId))!;
      const families = await adapter.refreshFamilies!.listForUser(userId);
      expect(families.filter((family) => family.epoch !== epoch)).toEqual([]);
    },
  }),
  scenario({
    name: 'deletes a user once, and leaves nothing that was created concurrently',
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
      const deletion = { method: 'account.deleteUser', args: [userId], resultPath: '' };
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
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect({ tally, events }, { userId, orgId }, { adapter, service, clock }) {
      expect(tally['ok:undefined']).toBe(1);
      expect(events.filter((name) => name === 'user.deleted')).toHaveLength(1);
      expect(await adapter.users.findById(userId)).toBeNull();
      const { accounts: rows, refreshFamilies, apiKeys, credentials, totp, orgs, sessions } = adapter;
      const remaining = [
        ...(await rows!.listSessions(userId)),
        ...(await sessions.listLive(userId, new Date(clock.now()))),
        ...(await refreshFamilies!.listForUser(userId)),
        ...(await apiKeys!.list({ userId })),
        ...(await credentials!.listForUser(userId)),
        ...(await adapter.identities.listForUser(userId)),
        ...(await orgs!.listForUser(userId)),
        ...(await orgs!.listInvitesOf({ userId, email: null })),
      ];
      expect([remaining, await totp!.find(userId), await totp!.countRecoveryCodes(userId)]).toEqual([
        [],
        null,
        0,
      ]);
      expect(await service.orgs.listMembers(orgId)).toHaveLength(1);
    },
  }),
];
