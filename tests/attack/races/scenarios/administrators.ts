/** Races of administrators with each other, and with what users do at the same time. */
import { day } from '../../../support/make-pro-service.js';
import { outcomeOf } from '../../../support/outcomes.js';
import type { ServiceCall } from '../../../support/service-calls.js';
import {
  concurrentCalls,
  countValidSessions,
  oneWinner,
  scenario,
  verifiedUser,
  type World,
} from '../scenario.js';

const password = 'correct horse battery';
const newPassword = 'battery staple horse';
const others = concurrentCalls - 1;

/** Names one of two administrators, so that the calls are those of both. */
const by = (index: number) => ({ actor: { type: 'user', id: `admin-${index % 2}` } });

const call = (method: string, args: unknown[], resultPath?: string): ServiceCall => ({
  method,
  args,
  ...(resultPath !== undefined && { resultPath }),
});

const lockedUser = ({ id }: { id: string }) => ({ table: 'svc_users', where: ['id', id] as const });

async function userWithPassword(world: World) {
  const email = world.person();
  const { id } = await world.service.users.create({ email, emailVerified: true, password });
  return { email, id };
}

/** Creates an administrator, and returns what the routes pass for one. */
async function administrator({ service, person }: World) {
  const { id } = await service.users.create({ email: person(), roles: ['admin'] });
  return { id, by: { actor: { type: 'user', id }, sessionEpoch: 0, sessionRoles: ['admin'] } };
}

const login = (email: string) =>
  call('emailPassword.login', [{ email, password }, { startSession: true }], 'session.token');

/** The outcomes of a login that another change overtakes. */
const failedLogins = ['invalid_credentials', 'rate_limit_exceeded', 'token_invalid', 'user_blocked'];

export const administrators = [
  scenario({
    name: 'applies each of fifty changes of one user by two administrators',
    refusals: [],
    prepare: verifiedUser,
    call: ({ id }, index) =>
      call('users.update', [id, { mergeMetadata: { [`key${index}`]: index } }, by(index)]),
    lockedRows: lockedUser,
    async expect({ tally, events }, { id }, { service }) {
      expect(tally).toEqual({ ok: concurrentCalls });
      const { metadata } = await service.users.get(id);
      const keys = Array.from({ length: concurrentCalls }, (_, index) => [`key${index}`, index]);
      expect(metadata).toEqual(Object.fromEntries(keys));
      expect(events.filter((name) => name === 'user.updated')).toHaveLength(concurrentCalls);
    },
  }),
  scenario({
    name: 'applies one of fifty changes by two administrators who have read the same state',
    refusals: ['invalid_request'],
    async prepare(world) {
      const { id } = await verifiedUser(world);
      return { id, ifUpdatedAt: (await world.service.users.get(id)).updatedAt.toISOString() };
    },
    call: ({ id, ifUpdatedAt }, index) =>
      call('users.updateIfUnchanged', [{ id, ifUpdatedAt, changes: { roles: [`role${index}`] } }]),
    lockedRows: lockedUser,
    async expect({ outcomes, tally }, { id }, { service }) {
      expect(tally).toEqual(oneWinner('invalid_request'));
      expect((await service.users.get(id)).roles).toEqual([`role${outcomes.indexOf('ok')}`]);
    },
  }),
  scenario({
    name: 'creates one user for fifty calls with the same address or user name',
    refusals: ['email_exists', 'invalid_request'],
    prepare: async ({ person, clock }) => ({ email: person(), username: `ada${clock.now().toString(36)}` }),
    call: ({ email, username }, index) =>
      call('users.create', [index % 2 === 0 ? { email, username } : { username }, by(index)], 'id'),
    async expect({ values, events }, { username }, { service }) {
      expect(values).toHaveLength(1);
      expect(values).toEqual([(await service.users.find({ username }))!.id]);
      expect(events.filter((name) => name === 'user.created')).toHaveLength(1);
    },
  }),
  scenario({
    name: 'creates one user for fifty invites to one address, whose links set one password',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email, index) =>
      call('users.invite', [{ email, roles: [`role${index % 2}`] }, by(index)], 'created'),
    async expect({ tally, mails, events }, email, { service }) {
      expect(tally['ok:true']).toBe(1);
      expect((await service.users.list({ search: email })).users).toHaveLength(1);
      expect(events.filter((name) => name === 'user.created')).toHaveLength(1);
      const links = mails.filter(({ to, kind }) => to === email && kind === 'user_invite');
      expect(links).toHaveLength(1 + (tally['ok:false'] ?? 0));
      const tokens = links.map(({ text }) => /token=([\w.-]+)/.exec(text)![1]!);
      const outcomes: string[] = [];
      for (const token of tokens)
        outcomes.push(
          await outcomeOf(() => service.emailPassword.setPassword({ token, newPassword: password })),
        );
      expect(outcomes).toEqual(['ok', ...outcomes.slice(1).map(() => 'token_invalid')]);
    },
  }),
  scenario({
    name: 'leaves no session of a user who is blocked during sign-ins',
    refusals: failedLogins,
    prepare: userWithPassword,
    call: ({ id, email }, index) => (index === 0 ? call('users.block', [id, {}, by(0)]) : login(email)),
    lockedRows: lockedUser,
    async expect({ outcomes, values }, { id, email }, world) {
      expect(outcomes[0]).toBe('ok');
      expect(await outcomeOf(() => world.service.emailPassword.login({ email, password }))).not.toBe('ok');
      // What the block has ended stays ended.
      await world.service.users.unblock(id);
      expect(await countValidSessions(world, values)).toBe(0);
      expect((await world.service.users.listSessions(id)).sessions).toEqual([]);
    },
  }),
  scenario({
    name: 'leaves no session and no old password after an administrator sets a password during logins',
    refusals: failedLogins,
    prepare: userWithPassword,
    call: ({ id, email }, index) =>
      index === 0 ? call('users.setPassword', [id, newPassword, by(0)]) : login(email),
    lockedRows: lockedUser,
    async expect({ outcomes, values }, { id, email }, world) {
      expect(outcomes[0]).toBe('ok');
      expect(await countValidSessions(world, values)).toBe(0);
      expect((await world.service.users.listSessions(id)).sessions).toEqual([]);
      // The limits of failed logins have started again.
      world.clock.advance(2 * day);
      const loginWith = (chosen: string) =>
        outcomeOf(() => world.service.emailPassword.login({ email, password: chosen }));
      expect([await loginWith(password), await loginWith(newPassword)]).toEqual([
        'invalid_credentials',
        'ok',
      ]);
    },
  }),
  scenario({
    name: 'leaves no session of a user who is signed out by an administrator during sign-ins, except those that begin later',
    refusals: failedLogins,
    prepare: userWithPassword,
    call: ({ id, email }, index) => (index === 0 ? call('users.signOut', [id, by(0)]) : login(email)),
    lockedRows: lockedUser,
    async expect({ outcomes, values }, { id }, world) {
      expect(outcomes[0]).toBe('ok');
      const { epoch } = (await world.adapter.users.findById(id))!;
      expect(epoch).toBe(1);
      const { sessions } = await world.service.users.listSessions(id, { limit: 200 });
      expect(sessions).toHaveLength(await countValidSessions(world, values));
    },
  }),
  scenario({
    name: 'deletes a user once, and no other change brings the user back',
    refusals: ['user_not_found', 'token_invalid', ...failedLogins],
    prepare: userWithPassword,
    call({ id, email }, index) {
      const changes = [
        call('account.deleteUser', [id, by(index)], ''),
        call('users.update', [id, { roles: ['support'] }, by(index)]),
        call('users.block', [id, {}, by(index)]),
        call('users.unblock', [id, by(index)]),
        call('users.setPassword', [id, newPassword, by(index)]),
        call('users.signOut', [id, by(index)]),
        call('refresh.issue', [{ userId: id }]),
        login(email),
      ];
      return changes[index % changes.length]!;
    },
    lockedRows: lockedUser,
    async expect({ outcomes, events }, { id, email }, { service, adapter }) {
      expect(outcomes.filter((outcome) => outcome === 'ok:undefined')).toHaveLength(1);
      expect(events.filter((name) => name === 'user.deleted')).toHaveLength(1);
      expect(await adapter.users.findById(id)).toBeNull();
      expect(await service.users.find({ email })).toBeNull();
      expect(await adapter.sessions.listLive(id, new Date(0))).toEqual([]);
      expect(await adapter.refreshFamilies!.listForUser(id)).toEqual([]);
    },
  }),
  scenario({
    name: 'lets exactly one of two administrators block the other',
    refusals: ['token_invalid'],
    prepare: async (world) => [await administrator(world), await administrator(world)] as const,
    call: (pair, index) => call('users.block', [pair[(index + 1) % 2]!.id, {}, pair[index % 2]!.by]),
    lockedRows: ([one]) => lockedUser(one),
    async expect({ tally }, pair, { service }) {
      expect(tally).toEqual({ ok: concurrentCalls / 2, token_invalid: concurrentCalls / 2 });
      const blocked = await Promise.all(pair.map(async ({ id }) => (await service.users.get(id)).blocked));
      expect(blocked.filter((block) => block === null)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'makes no change by an administrator after the loss of the role',
    refusals: ['not_authorized'],
    prepare: async (world) => ({ target: await verifiedUser(world), admin: await administrator(world) }),
    call: ({ target, admin }, index) =>
      index === 0
        ? call('users.update', [admin.id, { roles: [] }])
        : call('users.update', [target.id, { mergeMetadata: { [`key${index}`]: index } }, admin.by]),
    lockedRows: ({ admin }) => lockedUser(admin),
    async expect({ outcomes }, { target, admin }, { service }) {
      const { metadata } = await service.users.get(target.id);
      const written = outcomes.flatMap((outcome, index) =>
        index > 0 && outcome === 'ok' ? [[`key${index}`, index]] : [],
      );
      expect(metadata).toEqual(Object.fromEntries(written));
      expect(written.length).toBeLessThanOrEqual(others);
      const late = () => service.users.update(target.id, { roles: ['late'] }, admin.by as never);
      expect(await outcomeOf(late)).toBe('not_authorized');
    },
  }),
];
