// Events: told after the change is committed, by ids, to handlers that cannot harm.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TOTP } from 'otpauth';
import type { ServiceEventName } from 'svc-auth';
import { outbox, softwareAuthenticator } from 'svc-auth/testing';
import { makeService } from '../support/make-service.js';
import { nobody, pro, settled, type ProService } from '../support/make-pro-service.js';
import { EventBus } from '../../src/kit/events.js';
import { silentLogger } from '../../src/kit/logger.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { oddThrows, throwOdd } from '../support/odd-throws.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');

/** Name → the keys of its payload, as the source has them. */
function declaredEvents(): Record<string, string[]> {
  const body = /interface ServiceEvents \{(.*?)\n\}/s.exec(read('src/kit/events.ts'))?.[1] ?? '';
  const lines = [...body.matchAll(/^ {2}'([\w.]+)': \{(.*)\};$/gm)];
  return Object.fromEntries(
    lines.map(([, name, fields]) => [name, [...fields!.matchAll(/(\w+):/g)].map(([, key]) => key!).sort()]),
  );
}

describe('The table of events', () => {
  const declared = declaredEvents();

  it('is read from the source at all', () => {
    expect(Object.keys(declared).length).toBeGreaterThan(20);
    for (const name of Object.keys(declared)) expect(name).toMatch(/^[a-z_]+\.[a-z]+(_[a-z]+)*$/);
  });

  it('in docs/events.md has the same names and payloads', () => {
    const rows = [...read('docs/events.md').matchAll(/^\| `([\w.]+)` \| `\{(.*?)\}` \|/gm)];
    const documented = rows.map(([, name, fields]) => [
      name,
      [...fields!.matchAll(/(\w+)(?=[,: }])/g)].map(([, key]) => key!),
    ]);
    const keysOnly = documented.map(([name, keys]) => [name, (keys as string[]).sort()]);
    expect(Object.fromEntries(keysOnly)).toEqual(declared);
    expect(rows.map(([, name]) => name)).toEqual(Object.keys(declared));
  });
});

describe('on', () => {
  it('without a licence is license_required', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.on('user.created', () => undefined))).toBe('license_required');
  });
});

describeAdapters('Events', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });

  /** Something happens that is told. */
  const happen = async (test: ProService) => {
    const { user } = await test.service.sessionsProvider.createGuest();
    await settled(test);
    return user;
  };

  describe('on', () => {
    it.each(['user.create', 'USER.CREATED', '', 'toString', '__proto__', '**', 'user.*', null, 7, ['*']])(
      'refuses the event %p, which does not exist, and names those that do',
      async (name) => {
        const { service } = await makePro();
        const error = await errorOf(() => service.on(name as ServiceEventName, () => undefined));
        expect(error['code']).toBe('invalid_request');
        expect(error.message).toContain('session.all_revoked');
      },
    );

    it.each([undefined, null, 'log', {}])('refuses the handler %p', async (handler) => {
      const { service } = await makePro();
      expect(await outcomeOf(() => service.on('user.created', handler as never))).toBe('invalid_request');
    });

    it('hears its own event and no other, with a payload of ids', async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('user.created', (...args: unknown[]) => heard.push(args));
      const { id } = await happen(test);
      expect(heard).toEqual([[{ userId: id, method: 'guest' }]]);
    });

    it("'*' hears all, with name and payload", async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('*', (...args: unknown[]) => heard.push(args));
      const { id } = await happen(test);
      expect(heard).toEqual([
        ['user.created', { userId: id, method: 'guest' }],
        ['session.created', { userId: id, sessionId: expect.any(String) }],
      ]);
    });

    it('returns a function that ends this subscription and no other, however often it is called', async () => {
      const test = await makePro();
      const heard: string[] = [];
      const handler = () => heard.push('first');
      const off = test.service.on('user.created', handler);
      test.service.on('user.created', handler);
      const offAll = test.service.on('*', () => heard.push('all'));
      await happen(test);
      expect(heard.splice(0)).toEqual(['first', 'first', 'all', 'all']);
      off();
      off();
      offAll();
      await happen(test);
      expect(heard).toEqual(['first']);
    });

    it('may be called, and ended, inside a handler', async () => {
      const test = await makePro();
      const heard: string[] = [];
      const off = test.service.on('user.created', () => {
        off();
        heard.push('once');
        test.service.on('user.created', () => heard.push('from now on'));
      });
      await happen(test);
      expect(heard.splice(0)).toEqual(['once']);
      await happen(test);
      expect(heard).toEqual(['from now on']);
    });

    it('knows the payload of each name', async () => {
      const { service } = await makePro();
      const offs = [
        service.on('org.member_added', ({ orgId, userId, role }) => [orgId, userId, role]),
        // @ts-expect-error -- an organisation has no session
        service.on('org.created', ({ sessionId }) => sessionId as string),
        service.on('*', (name, payload) => [name.length, Object.keys(payload)]),
      ];
      for (const off of offs) off();
      expect(offs).toHaveLength(3);
    });

    it('belongs to its service: another service on the same storage hears nothing', async () => {
      const [one, other] = [await makePro(), await makePro()];
      await happen(one);
      expect(await one.heardNames()).toEqual(['user.created', 'session.created']);
      expect(await other.heardNames()).toEqual([]);
    });
  });

  describe('A handler', () => {
    const harms: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('of ada@example.com');
      },
      rejects: () => Promise.reject(new Error('of ada@example.com')),
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the test is about
      'rejects without an error': () => Promise.reject(undefined),
      'throws a text': () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what the test is about
        throw 'of ada@example.com';
      },
      ...Object.fromEntries(
        Object.entries(oddThrows).map(([what, make]) => [`throws ${what}`, () => throwOdd(make)]),
      ),
    };

    it.each(Object.entries(harms))(
      'that %s changes nothing, and is logged without secrets',
      async (_name, harm) => {
        const test = await makePro();
        const heard: string[] = [];
        test.service.on('user.created', harm);
        test.service.on('user.created', () => heard.push('the next'));
        const user = await happen(test);
        expect(heard).toEqual(['the next']);
        expect(await test.service.sessionsProvider.isGuest(user.id)).toBe(true);
        const failures = test.log.filter(({ level }) => level === 'error');
        expect(failures).toEqual([
          expect.objectContaining({
            fields: expect.objectContaining({ event: 'user.created' }),
            message: 'an event handler failed',
          }),
        ]);
        expect(JSON.stringify(test.log)).not.toContain('ada@');
      },
    );

    it('that never resolves holds up neither the call, nor the other handlers, nor close()', async () => {
      const test = await makePro();
      const heard: string[] = [];
      test.service.on('user.created', () => new Promise(() => undefined));
      test.service.on('user.created', () => heard.push('the next'));
      await happen(test);
      await test.service.close();
      expect(heard).toEqual(['the next']);
    });

    it('that has not resolved when the patience ends is logged', async () => {
      const warnings: unknown[] = [];
      const warn = (...entry: unknown[]) => void warnings.push(entry);
      const bus = new EventBus({ ...silentLogger, warn }, 100);
      bus.on('user.created', () => new Promise(() => undefined));
      bus.on('user.created', () => Promise.resolve());
      bus.emit('user.created', { userId: nobody, method: 'guest' });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(warnings).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(warnings).toEqual([[{ event: 'user.created' }, expect.stringContaining('not finished')]]);
    });

    it('is called whatever the application made of the global timers', async () => {
      const test = await makePro();
      const heard: string[] = [];
      test.service.on('user.created', ({ userId }) => heard.push(userId));
      const { setTimeout: real } = globalThis;
      globalThis.setTimeout = (() => 7) as never;
      try {
        await happen(test);
      } finally {
        globalThis.setTimeout = real;
      }
      expect(heard).toHaveLength(1);
    });

    it('runs after the call that caused it went on, never inside it', async () => {
      const test = await makePro();
      const order: string[] = [];
      test.service.on('session.revoked', () => order.push('handler'));
      const { session } = await test.service.sessionsProvider.createGuest();
      const revoked = test.service.sessionsProvider.revokeDevice(session.id).then(() => order.push('call'));
      order.push('asked');
      await revoked;
      await settled(test);
      expect(order[0]).toBe('asked');
      expect(order.sort()).toEqual(['asked', 'call', 'handler']);
    });

    it('cannot change what the others hear', async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('user.created', (payload) => {
        (payload as { userId: string }).userId = 'forged';
      });
      test.service.on('user.created', (payload) => heard.push(payload.userId));
      const { id } = await happen(test);
      expect(heard).toEqual([id]);
    });

    it('may call the service', async () => {
      const test = await makePro();
      const keys: string[] = [];
      test.service.on('org.created', async ({ orgId }) => {
        keys.push((await test.service.apiKeys.create({ orgId, name: 'first' })).record.orgId!);
      });
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      while (keys.length === 0) await settled(test);
      expect(keys).toEqual([org.id]);
    });
  });

  describe('An event', () => {
    it('comes when its change is committed: the handler finds it in the storage', async () => {
      const test = await makePro();
      const found: Record<string, unknown> = {};
      test.service.on('user.created', async ({ userId }) => {
        found['user.created'] = (await adapter().users.findById(userId))?.id === userId;
      });
      test.service.on('session.created', async ({ sessionId }) => {
        found['session.created'] = (await adapter().sessions.findWithUser(sessionId)) !== null;
      });
      test.service.on('session.revoked', async ({ sessionId }) => {
        found['session.revoked'] =
          (await adapter().sessions.findWithUser(sessionId))?.session.revokedAt !== null;
      });
      test.service.on('org.member_added', async ({ orgId, userId, role }) => {
        // The founder is told of too, and their look-up may end after this one.
        if (role === 'member') found['org.member_added'] = await test.service.orgs.roleOf(orgId, userId);
      });
      test.service.on('user.deleted', async ({ userId }) => {
        found['user.deleted'] = await adapter().users.findById(userId);
      });
      const { user, session } = await test.service.sessionsProvider.createGuest();
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      await test.service.orgs.addMember(org.id, user.id, 'member');
      await test.service.sessionsProvider.revokeDevice(session.id);
      await settled(test);
      await test.service.account.deleteUser(user.id);
      while (!('user.deleted' in found)) await settled(test);
      expect(found).toEqual({
        'user.created': true,
        'session.created': true,
        'session.revoked': true,
        'org.member_added': 'member',
        'user.deleted': null,
      });
    });

    it('does not come where nothing changed', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => false } } });
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      const { token, session } = await test.service.sessionsProvider.create({ userId: owner.id });
      const { refreshToken } = await test.service.refresh.issue({ userId: owner.id });
      const { record } = await test.service.apiKeys.create({ userId: owner.id, name: 'key' });
      await test.service.sessionsProvider.revoke(token);
      await test.service.refresh.revoke(refreshToken);
      await test.service.apiKeys.revoke(record.id);
      test.service.account.contribute('failing', { deleteData: () => Promise.reject(new Error('no')) });
      await test.heard();
      const { orgs, sessionsProvider, refresh, apiKeys, account } = test.service;
      const refused = [
        () => sessionsProvider.create({ userId: nobody }),
        () => sessionsProvider.create({ userId: owner.id, ttlMs: 1 }),
        () => sessionsProvider.revokeAll(nobody),
        () => sessionsProvider.impersonate(owner.id, owner.id),
        () => sessionsProvider.upgrade({ userId: owner.id, provider: 'x', providerAccountId: 'y' }),
        () => refresh.issue({ userId: nobody }),
        () => refresh.refresh(refreshToken),
        () => apiKeys.create({ userId: nobody, name: 'key' }),
        () => orgs.create({ name: 'Acme', slug: org.slug, ownerUserId: owner.id }),
        () => orgs.setRole(org.id, owner.id, 'member'),
        () => orgs.removeMember(org.id, owner.id),
        () => orgs.addMember(org.id, owner.id, 'member'),
        () => orgs.delete(nobody),
        () => orgs.invite({ orgId: nobody, email: person() }),
        () => account.deleteUser(owner.id),
        () => account.deleteUser(nobody),
        () => test.service.emailCode.sendCode({ email: 'no address' }),
      ];
      for (const call of refused) expect(await outcomeOf(call)).not.toBe('ok');
      // Ending what has ended is no refusal, but nothing new either.
      await sessionsProvider.revoke(token);
      await sessionsProvider.revokeDevice(session.id);
      await refresh.revoke(refreshToken);
      await apiKeys.revoke(record.id);
      await orgs.revokeInvite(org.id, nobody);
      expect(await test.heardNames()).toEqual([]);
    });

    it('that is declared is emitted, with the payload that is declared: ids, and no secret, address or token', async () => {
      const mail = outbox();
      const test = await makePro({
        mail,
        providers: {
          sessions: { canImpersonate: () => true },
          orgs: { sender: undefined, inviteUrl: 'https://app.test/invite' },
          account: { sender: mail },
          totp: true,
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
        },
        encryptionKey: 'an encryption key of the tests, 32 bytes or more',
        rateLimit: { maxPerWindow: 50 },
      });
      const { service } = test;
      const secrets: string[] = [];
      const context = { startSession: true };

      // Signs up, resets (a claim), and proves the mailbox by link.
      const claimed = await unverifiedUser(test);
      await service.emailPassword.requestReset({ email: claimed.email! });
      await settled(test);
      const resetToken = new URL(test.mail.lastLink(claimed.email!)!).searchParams.get('token')!;
      await service.emailPassword.setPassword({ token: resetToken, newPassword: 'another good password' });
      const { url } = await service.magicLink.sendLink({ email: claimed.email! });
      await service.magicLink.verify(new URL(url).searchParams.get('token')!);

      // A passwordless user gets a password in their own session.
      const email = person();
      await service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const { user, session } = await service.emailCode.verify({ email, code }, context);
      await service.emailPassword.signup(
        { email, password: 'correct horse battery' },
        { sessionToken: session!.token, startSession: true },
      );

      // And then another one, and another address.
      await service.emailPassword.changePassword({
        userId: user.id,
        currentPassword: 'correct horse battery',
        newPassword: 'another good password',
      });
      const moved = person();
      await service.account.requestEmailChange({ userId: user.id, email: moved });
      const [toNew, toOld] = [test.mail.lastCode(moved)!, test.mail.lastCode(email)!];
      const change = { userId: user.id, email: moved, code: toNew, currentCode: toOld };
      await service.account.confirmEmailChange(change);

      const device = await service.sessionsProvider.create({ userId: user.id });
      await service.sessionsProvider.revoke(device.token);

      const { secret } = await service.totp.beginEnrollment(user.id);
      const now = new TOTP({ secret }).generate({ timestamp: test.clock.now() });
      const { recoveryCodes } = await service.totp.confirmEnrollment(user.id, now);
      await service.totp.verifyRecoveryCode(user.id, recoveryCodes[0]!);
      const replaced = await service.totp.regenerateRecoveryCodes(user.id);
      await service.totp.disable(user.id);

      const authenticator = softwareAuthenticator();
      const registration = await service.webauthn.startRegistration(user.id);
      const passkey = await service.webauthn.finishRegistration({
        userId: user.id,
        response: authenticator.create(registration.options),
        expectedChallenge: registration.challenge,
      });
      const ceremony = await service.webauthn.startAuthentication();
      const copied = {
        response: authenticator.get(ceremony.options, { counter: 1 }),
        expectedChallenge: ceremony.challenge,
      };
      expect(await outcomeOf(() => service.webauthn.finishAuthentication(copied))).toBe('token_invalid');
      await service.webauthn.removeCredential(user.id, passkey.credential.id);

      const linked = { id: nobody, userId: user.id, provider: 'google', providerAccountId: 'account of ada' };
      const { epoch } = (await test.adapter.users.findById(user.id))!;
      await test.adapter.identities.link({ ...linked, createdAt: new Date() }, epoch);
      await service.identities.unlink(user.id, linked.id);

      const guest = await service.sessionsProvider.createGuest();
      await service.sessionsProvider.upgrade({
        userId: guest.user.id,
        provider: 'github',
        providerAccountId: `account of ${guest.user.id}`,
      });
      const impersonation = await service.sessionsProvider.impersonate(user.id, claimed.id, {
        reason: 'ticket 7',
      });

      const pair = await service.refresh.issue({ userId: user.id });
      const next = await service.refresh.refresh(pair.refreshToken);
      await service.refresh.refresh(next.refreshToken);
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
      const other = await service.refresh.issue({ userId: user.id });
      await service.refresh.revoke(other.refreshToken);
      await service.refresh.revokeAllForUser(user.id);

      const { key, record } = await service.apiKeys.create({ userId: user.id, name: 'key' });
      await service.apiKeys.revoke(record.id);

      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const invite = await service.orgs.invite({ orgId: org.id, email: claimed.email! });
      await service.orgs.acceptInvite(invite.token, claimed.id);
      const unwanted = await service.orgs.invite({ orgId: org.id, email: person() });
      await service.orgs.revokeInvite(org.id, unwanted.invite.id);
      await service.orgs.setRole(org.id, claimed.id, 'admin');
      await service.orgs.removeMember(org.id, claimed.id);
      await service.orgs.delete(org.id);

      await service.sessionsProvider.revokeAll(user.id);
      await service.account.deleteUser(claimed.id);

      const heard = await test.heard();
      const declared = declaredEvents();
      expect([...new Set(heard.map(({ name }) => name))].sort()).toEqual(Object.keys(declared).sort());
      for (const { name, payload } of heard)
        expect([name, Object.keys(payload).sort()]).toEqual([name, declared[name]]);

      secrets.push(secret, now, ...recoveryCodes, ...replaced, registration.challenge, ceremony.challenge);
      secrets.push(
        toNew,
        toOld,
        code,
        resetToken,
        session!.token,
        guest.token,
        impersonation.token,
        key,
        invite.token,
      );
      secrets.push(
        pair.refreshToken,
        pair.accessToken,
        next.refreshToken,
        'account of',
        '@example.com',
        'correct horse',
      );
      const text = JSON.stringify(heard);
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/eyJ|svc_[0-9a-f]{32}|cheap\$/);
    });

    it('of a sign-in names the method', async () => {
      const test = await makePro();
      await verifiedUser(test);
      await unverifiedUser(test);
      const created = (await test.heard()).filter(({ name }) => name === 'user.created');
      expect(created.map(({ payload }) => payload['method'])).toEqual(['email_code', 'password_signup']);
    });
  });

  if (!sql) return;
  it('does not come where the database fails', async () => {
    const test = await makePro();
    const user = await verifiedUser(test);
    await test.heard();
    await sql('alter table svc_sessions rename to svc_sessions_away');
    try {
      expect(await outcomeOf(() => test.service.sessionsProvider.create({ userId: user.id }))).toBe(
        'internal_error',
      );
    } finally {
      await sql('alter table svc_sessions_away rename to svc_sessions');
    }
    expect(await test.heardNames()).toEqual([]);
  });
});
