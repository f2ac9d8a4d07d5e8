// Event handlers: subscriptions, and faulty handlers, which have no effect on calls.
import type { ServiceEventName } from 'svc-auth';
import { makeService } from '../support/make-service.js';
import { unknownId, proFixtures, settleService, type ProService } from '../support/make-pro-service.js';
import { EventBus } from '../../src/core/support/events.js';
import { silentLogger } from '../../src/core/support/logger.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { malformedErrors, throwMalformed } from '../support/malformed-errors.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

describe('service.on', () => {
  it('rejects with license_required without a license', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.on('user.created', () => undefined))).toBe('license_required');
  });
});

describeAdapters('Event handlers', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  /** Causes events. */
  const happen = async (test: ProService) => {
    const { user } = await test.service.sessionsProvider.createGuest();
    await settleService(test);
    return user;
  };

  describe('service.on', () => {
    it.each(['user.create', 'USER.CREATED', '', 'toString', '__proto__', '**', 'user.*', null, 7, ['*']])(
      'rejects the unknown event %p and lists the known ones',
      async (name) => {
        const { service } = await makePro();
        const error = await errorOf(() => service.on(name as ServiceEventName, () => undefined));
        expect(error['code']).toBe('invalid_request');
        expect(error.message).toContain('session.all_revoked');
      },
    );

    it.each([undefined, null, 'log', {}])('rejects the handler %p', async (handler) => {
      const { service } = await makePro();
      expect(await outcomeOf(() => service.on('user.created', handler as never))).toBe('invalid_request');
    });

    it('passes a handler its own event only, with a payload of ids', async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('user.created', (...args: unknown[]) => heard.push(args));
      const { id } = await happen(test);
      expect(heard).toEqual([[{ userId: id, method: 'guest' }]]);
    });

    it("passes every event with name and payload to a handler of '*'", async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('*', (...args: unknown[]) => heard.push(args));
      const { id } = await happen(test);
      expect(heard).toEqual([
        ['user.created', { userId: id, method: 'guest' }],
        ['session.created', { userId: id, sessionId: expect.any(String) }],
      ]);
    });

    it('returns a function that removes this subscription only', async () => {
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

    it('a handler can be called, and its subscription removed, inside a handler', async () => {
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

    it('types the payload of each event', async () => {
      const { service } = await makePro();
      const offs = [
        service.on('org.member_added', ({ orgId, userId, role }) => [orgId, userId, role]),
        // @ts-expect-error -- an organization has no session
        service.on('org.created', ({ sessionId }) => sessionId as string),
        service.on('*', (name, payload) => [name.length, Object.keys(payload)]),
      ];
      for (const off of offs) off();
      expect(offs).toHaveLength(3);
    });

    it('receives events of its own service only', async () => {
      const [first, other] = [await makePro(), await makePro()];
      await happen(first);
      expect(await first.takeEventNames()).toEqual(['user.created', 'session.created']);
      expect(await other.takeEventNames()).toEqual([]);
    });
  });

  describe('an event handler', () => {
    const faultyHandlers: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('of ada@example.com');
      },
      rejects: () => Promise.reject(new Error('of ada@example.com')),
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the test is about
      'rejects without an error': () => Promise.reject(undefined),
      'throws a string': () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what the test is about
        throw 'of ada@example.com';
      },
      ...Object.fromEntries(
        Object.entries(malformedErrors).map(([what, make]) => [`throws ${what}`, () => throwMalformed(make)]),
      ),
    };

    it.each(Object.entries(faultyHandlers))(
      'ignores a handler that %s, and logs it without secrets',
      async (_name, faultyHandler) => {
        const test = await makePro();
        const heard: string[] = [];
        test.service.on('user.created', faultyHandler);
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

    it('delays neither the call, nor other handlers, nor close() for a handler that never resolves', async () => {
      const test = await makePro();
      const heard: string[] = [];
      test.service.on('user.created', () => new Promise(() => undefined));
      test.service.on('user.created', () => heard.push('the next'));
      await happen(test);
      await test.service.close();
      expect(heard).toEqual(['the next']);
    });

    it('logs a handler that does not resolve in time', async () => {
      const warnings: unknown[] = [];
      const warn = (...entry: unknown[]) => void warnings.push(entry);
      const bus = new EventBus({ ...silentLogger, warn }, 100);
      bus.on('user.created', () => new Promise(() => undefined));
      bus.on('user.created', () => Promise.resolve());
      bus.emit('user.created', { userId: unknownId, method: 'guest' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toEqual([]);
      while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      // Gives a second warning time to arrive.
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(warnings).toEqual([[{ event: 'user.created' }, expect.stringContaining('not finished')]]);
    });

    it('a handler is called even if the application replaced the global timers', async () => {
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

    it('a handler runs after the call that emitted its event, never inside it', async () => {
      const test = await makePro();
      const order: string[] = [];
      test.service.on('session.revoked', () => order.push('handler'));
      const { session } = await test.service.sessionsProvider.createGuest();
      const revoked = test.service.sessionsProvider.revokeDevice(session.id).then(() => order.push('call'));
      order.push('before');
      await revoked;
      await settleService(test);
      expect(order[0]).toBe('before');
      expect(order.sort()).toEqual(['before', 'call', 'handler']);
    });

    it('a handler cannot change the payload of other handlers', async () => {
      const test = await makePro();
      const heard: unknown[] = [];
      test.service.on('user.created', (payload) => {
        (payload as { userId: string }).userId = 'forged';
      });
      test.service.on('user.created', (payload) => heard.push(payload.userId));
      const { id } = await happen(test);
      expect(heard).toEqual([id]);
    });

    it('a handler can call the service', async () => {
      const test = await makePro();
      const keys: string[] = [];
      test.service.on('org.created', async ({ orgId }) => {
        keys.push((await test.service.apiKeys.create({ orgId, name: 'first' })).record.orgId!);
      });
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      while (keys.length === 0) await settleService(test);
      expect(keys).toEqual([org.id]);
    });
  });
});
