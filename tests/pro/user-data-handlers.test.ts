// Handlers that export and delete the data of the application with an account (specification 4.3
// `account`; docs/security-requirements.md C-34).
import type { Knex } from 'knex';
import { OrgError, type ServiceUser } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { day } from '../support/make-pro-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { accountData } from './account-data.js';

describeAdapters('User data handlers', (on) => {
  const { adapter, sql } = on;
  const { makePro, verifiedUser, richUser } = accountData(on);

  describe('registerUserData', () => {
    interface Orders {
      rows: Map<string, string[]>;
    }
    const orders = (...users: ServiceUser[]): Orders => ({
      rows: new Map(users.map(({ id }) => [id, [`order of ${id}`]])),
    });

    it('exports and deletes the data of the application with the account', async () => {
      const test = await makePro();
      const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
      const { rows } = orders(user, other);
      test.service.account.registerUserData('orders', {
        exportData: async (userId) => rows.get(userId) ?? [],
        deleteData: async (userId) => void rows.delete(userId),
      });
      test.service.account.registerUserData('theme', { exportData: () => ({ dark: true }) });
      test.service.account.registerUserData('cache', { deleteData: () => undefined });
      const exported = await test.service.account.exportData(user.id);
      expect(exported.contributions).toEqual({ orders: [`order of ${user.id}`], theme: { dark: true } });
      await test.service.account.deleteUser(user.id);
      expect([...rows.keys()]).toEqual([other.id]);
    });

    it('requires a unique name and at least one function', async () => {
      const { service } = await makePro();
      const exportData = () => 1;
      service.account.registerUserData('orders', { exportData });
      const registerUserData = (name: unknown, contributor: unknown) =>
        outcomeOf(() => service.account.registerUserData(name as string, contributor as never));
      const inherited = ['__proto__', 'toJSON', 'constructor', 'hasOwnProperty', 'toString'];
      for (const name of ['orders', '', 7, null, undefined, {}, ...inherited]) {
        expect(await registerUserData(name, { exportData })).toBe('invalid_request');
      }
      for (const each of [{}, null, undefined, 'x', { exportData: 'x' }, { deleteData: {} }]) {
        expect(await registerUserData('posts', each)).toBe('invalid_request');
      }
      expect(await registerUserData('posts', { exportData })).toBe('ok');
    });

    it('calls the methods of a class instance on the instance', async () => {
      class Shop {
        private readonly rows = new Map<string, string>();
        put(userId: string) {
          this.rows.set(userId, 'lamp');
        }
        exportData(userId: string) {
          return this.rows.get(userId);
        }
        deleteData(userId: string) {
          this.rows.delete(userId);
        }
      }
      const test = await makePro();
      const user = await verifiedUser(test);
      const shop = new Shop();
      shop.put(user.id);
      test.service.account.registerUserData('shop', shop);
      expect((await test.service.account.exportData(user.id)).contributions).toEqual({ shop: 'lamp' });
      await test.service.account.deleteUser(user.id);
      expect(shop.exportData(user.id)).toBeUndefined();
    });

    it('exports JSON: dates as strings, and values outside JSON as null', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.registerUserData('date', { exportData: () => [new Date(0)] });
      test.service.account.registerUserData('none', { exportData: () => undefined });
      test.service.account.registerUserData('function', { exportData: () => () => 1 });
      const { contributions } = await test.service.account.exportData(user.id);
      expect(contributions).toEqual({ date: ['1970-01-01T00:00:00.000Z'], none: null, function: null });
    });

    it('names the handler whose export cannot be serialized', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.registerUserData('orders', { exportData: () => [] });
      test.service.account.registerUserData('big', { exportData: () => ({ count: 10n }) });
      const error = await errorOf(() => test.service.account.exportData(user.id));
      expect([error['code'], error.message]).toEqual(['internal_error', expect.stringContaining('"big"')]);
    });

    it('rejects the export with user_not_found if the user is deleted during a handler', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.registerUserData('slow', {
        exportData: async (userId) => {
          await test.service.account.deleteUser(userId);
          return 1;
        },
      });
      expect(await outcomeOf(() => test.service.account.exportData(user.id))).toBe('user_not_found');
    });

    const misuses: Record<string, [(transaction: Knex.Transaction) => unknown, string]> = {
      'rolls the transaction back': [(transaction) => transaction.rollback(), 'ended the transaction'],
      'rolls the transaction back with an error': [
        (transaction) => transaction.rollback(new Error('mine')),
        'ended the transaction',
      ],
      'commits the transaction': [(transaction) => transaction.commit(), 'ended the transaction'],
      'commits the transaction and fails': [
        async (transaction) => {
          await transaction.commit();
          throw new Error('mine');
        },
        'ended the transaction',
      ],
      'sends a commit as a statement': [(transaction) => transaction.raw('commit'), 'ended the transaction'],
      'hides a failed statement': [
        (transaction) => transaction.raw('select * from no_such_table').catch(() => undefined),
        'ignored the error of a failed statement',
      ],
      'does not wait for a statement that fails': [
        (transaction) => {
          void transaction.raw('select * from no_such_table').catch(() => undefined);
        },
        'ignored the error of a failed statement',
      ],
    };

    // C-34
    it.each(Object.entries(misuses))(
      'names the handler that %s, and deletes neither the account nor a guest in part',
      async (_name, [misuse, expected]) => {
        const test = await makePro();
        const { user } = await richUser(test);
        const { user: guest } = await test.service.sessionsProvider.createGuest();
        let isSql = false;
        // Only PostgreSQL ends a transaction with its first error: elsewhere, a handler may go on after it.
        let endsAtErrors = false;
        test.service.account.registerUserData('first', { deleteData: () => undefined });
        test.service.account.registerUserData('posts', {
          async deleteData(_userId, { transaction }) {
            isSql = transaction !== undefined;
            if (!isSql) return;
            endsAtErrors = (transaction as Knex.Transaction).client.dialect === 'postgresql';
            await misuse(transaction as Knex.Transaction);
          },
        });
        const lastCalls: string[] = [];
        test.service.account.registerUserData('last', {
          deleteData: (userId) => void lastCalls.push(userId),
        });
        const before = await test.service.account.exportData(user.id);
        await test.takeEvents();
        const outcome = await test.service.account.deleteUser(user.id).catch((error: unknown) => error);
        const isRefused = isSql && (endsAtErrors || expected === 'ended the transaction');
        if (!isRefused) return expect(outcome).toBeUndefined();
        expect(outcome).toMatchObject({
          code: 'internal_error',
          message: expect.stringContaining(`"posts" ${expected}`),
        });
        expect(await test.service.account.exportData(user.id)).toEqual(before);
        test.clock.advance(30 * day);
        await test.service.purgeExpired();
        expect(await test.service.sessionsProvider.isGuest(guest.id)).toBe(true);
        expect(lastCalls).toEqual([]);
        expect(await test.takeEventNames()).not.toContain('user.deleted');
      },
    );

    const failures: Record<string, () => unknown> = {
      rejects: () => Promise.reject(new Error('shop is down')),
      throws: () => {
        throw new Error('shop is down');
      },
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the test is about
      'rejects with nothing': () => Promise.reject(undefined),
      'throws an error of this library': () => {
        throw new OrgError('an organization of the shop');
      },
    };

    it.each(Object.entries(failures))('names the handler whose export %s', async (_name, fail) => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.registerUserData('orders', { exportData: () => [] });
      test.service.account.registerUserData('posts', { exportData: fail });
      const error = await errorOf(() => test.service.account.exportData(user.id));
      expect([error['code'], error.message]).toEqual(['internal_error', expect.stringContaining('"posts"')]);
    });

    // C-34
    it.each(Object.entries(failures))(
      'deletes nothing if the deletion of a handler %s, names it, and can be repeated',
      async (_name, fail) => {
        const test = await makePro();
        const { user, own } = await richUser(test);
        const session = await test.service.sessionsProvider.create({ userId: user.id });
        const handlerCalls: string[] = [];
        let broken = true;
        test.service.account.registerUserData('first', { deleteData: () => void handlerCalls.push('first') });
        test.service.account.registerUserData('posts', {
          deleteData: () => (broken ? fail() : undefined) as undefined,
        });
        test.service.account.registerUserData('last', { deleteData: () => void handlerCalls.push('last') });
        const before = await test.service.account.exportData(user.id);
        await test.takeEvents();
        const error = await errorOf(() => test.service.account.deleteUser(user.id));
        expect([error['code'], error.message]).toEqual([
          'internal_error',
          expect.stringContaining('"posts"'),
        ]);
        expect(handlerCalls).toEqual(['first']);
        expect(await test.service.account.exportData(user.id)).toEqual(before);
        expect(await outcomeOf(() => test.service.getSessionUser(session.token))).toBe('ok');
        expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
        expect(await test.takeEvents()).toEqual([]);
        broken = false;
        await test.service.account.deleteUser(user.id);
        expect(handlerCalls).toEqual(['first', 'first', 'last']);
        expect(await test.takeEventNames()).toEqual(['user.deleted']);
      },
    );

    it('calls deletion handlers in the transaction of the deletion, before the user is removed', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      const counts: unknown[] = [];
      let isSql = false;
      test.service.account.registerUserData('look', {
        async deleteData(userId, { transaction }) {
          isSql = transaction !== undefined;
          if (!isSql) return;
          const knex = transaction as Knex.Transaction;
          counts.push(
            await knex('svc_users').where({ id: userId }).count<{ count: unknown }[]>({ count: '*' }),
          );
          await knex('svc_users').where({ id: userId }).update({ metadata: '{"touched":true}' });
        },
      });
      test.service.account.registerUserData('fail', { deleteData: () => Promise.reject(new Error('no')) });
      expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
      // The handler's own write was rolled back with everything else.
      expect((await adapter().users.findById(user.id))?.metadata).toEqual({});
      if (isSql) expect(counts).toEqual([[{ count: expect.anything() }]]);
      expect(isSql).toBe(sql !== undefined || counts.length > 0);
    });

    if (sql) {
      it('deletes rows of the application in the same transaction as the account', async () => {
        await sql(
          'create table app_orders (id serial primary key, user_id uuid not null references svc_users (id))',
        );
        try {
          const test = await makePro();
          const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
          await sql(
            `insert into app_orders (user_id) values ('${user.id}'), ('${user.id}'), ('${other.id}')`,
          );
          const owners = async () =>
            (await sql('select user_id from app_orders')).map((row) => row['user_id']);
          let broken = true;
          test.service.account.registerUserData('orders', {
            deleteData: async (userId, { transaction }) => {
              await (transaction as Knex.Transaction)('app_orders').where({ user_id: userId }).delete();
            },
          });
          test.service.account.registerUserData('search index', {
            deleteData: () => (broken ? Promise.reject(new Error('no')) : undefined),
          });
          expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
          expect(await owners()).toEqual([user.id, user.id, other.id]);
          broken = false;
          await test.service.account.deleteUser(user.id);
          expect(await owners()).toEqual([other.id]);
          expect(await adapter().users.findById(user.id)).toBeNull();
        } finally {
          await sql('drop table app_orders');
        }
      });

      it('rejects the deletion if a table without a handler references the user', async () => {
        await sql('create table app_posts (user_id uuid not null references svc_users (id))');
        try {
          const test = await makePro();
          const { user } = await richUser(test);
          await sql(`insert into app_posts values ('${user.id}')`);
          const before = await test.service.account.exportData(user.id);
          expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
          expect(await test.service.account.exportData(user.id)).toEqual(before);
        } finally {
          await sql('drop table app_posts');
        }
      });
    }

    it('calls the handlers one after another, in the order of registration', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const order: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        test.service.account.registerUserData(name, {
          async exportData() {
            order.push(`${name} begins`);
            await new Promise((resolve) => setImmediate(resolve));
            order.push(`${name} ends`);
            return name;
          },
        });
      }
      await test.service.account.exportData(user.id);
      expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    });
  });
});
