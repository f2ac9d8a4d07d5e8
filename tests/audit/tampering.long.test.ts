// An attacker who changes the tables of the audit log without the secret is found out, and the first record is named.
import type { AuditHead, Service, StorageAdapter } from 'svc-auth';
import { AuditRecords } from '../../src/core/support/audit-records.js';
import { mac, sha256 } from '../../src/crypto/digest.js';
import { createKeyring } from '../../src/crypto/keys.js';
import { createSharedDatabase, type SharedDatabase } from '../support/databases.js';
import { makeService, testSecret } from '../support/make-service.js';
import { openStorage } from '../support/open-storage.js';

const storages = ['SQLite', 'PostgreSQL'] as const;

describe.each(storages)('an audit log on %s', (storage) => {
  let database: SharedDatabase;
  let adapter: StorageAdapter;
  let service: Service;
  let clock: Awaited<ReturnType<typeof makeService>>['clock'];
  /** Ids of the sealed records, four in each of three seals. */
  let ids: string[];
  let heads: AuditHead[];

  beforeEach(async () => {
    database = await createSharedDatabase(storage);
    adapter = openStorage(database.url);
    const made = await makeService({ adapter, audit: { retentionDays: 30 } });
    ({ clock, service } = made);
    heads = [];
    for (let seal = 0; seal < 3; seal += 1) {
      for (let count = 0; count < 4; count += 1)
        await service.users.create({ email: `person-${seal}-${count}@example.com` });
      heads.push((await service.audit.head())!);
      made.clock.advance(1_000);
    }
    ids = (await database.sql('select id from svc_audit_log order by id')).map(({ id }) => String(id));
    expect(await service.audit.verify({ heads })).toMatchObject({ ok: true, records: 12, seals: 3 });
  });

  afterEach(async () => {
    await adapter.close();
    await database.drop();
  });

  const faultAfter = async (...statements: string[]) => {
    for (const statement of statements) await database.sql(statement);
    return (await service.audit.verify({ heads })).fault;
  };

  /** Stores and seals a record with the MAC of earlier releases. Returns its id. */
  async function insertOldRecord(): Promise<string> {
    const { id: userId } = await service.users.create({ email: 'earlier@example.com' });
    const keyring = createKeyring(testSecret);
    const actors = [{ type: 'user', id: userId }] as const;
    const facts = { action: 'user.updated', userId, actors, details: { fields: ['name'] } };
    const record = new AuditRecords(keyring).create(facts, clock.now(), { actors, ip: '192.0.2.1' });
    const { id, occurredAt, action, outcome, errorCode, orgId, clientId } = record;
    const { actorId, requestId, personalDigest } = record;
    const subjects = [errorCode, userId, orgId, clientId, actorId, requestId, personalDigest];
    const content = JSON.stringify([id, occurredAt.getTime(), action, outcome, ...subjects]);
    const signed = [content, record.actors, record.details].map((part) => sha256(part));
    const oldMac = mac(keyring.subkeys('audit')[0], 'record', ...signed).toString('base64url');
    await adapter.audit!.insert([{ ...record, mac: oldMac }]);
    await service.audit.seal();
    return id;
  }

  it.each(['action', 'details', 'actors', 'request_id', 'outcome', 'mac'])(
    'names a record whose %s was changed',
    async (column) => {
      const fault = await faultAfter(`update svc_audit_log set ${column} = 'x' where id = '${ids[5]}'`);
      expect(fault).toEqual({ kind: 'changed', recordId: ids[5], seal: 2 });
    },
  );

  it.each(['null', `'0190f6a0-0000-7000-8000-000000000001'`])(
    'names a record whose acting user was replaced by %s',
    async (value) => {
      const { id: actor } = await service.users.create({ email: 'actor@example.com' });
      await service.users.create({ email: 'by-user@example.com' }, { actor: { type: 'user', id: actor } });
      await service.audit.seal();
      const [record] = (await service.audit.list({ actorId: actor })).records;
      const fault = await faultAfter(
        `update svc_audit_log set acting_user_id = ${value} where id = '${record!.id}'`,
      );
      expect(fault).toMatchObject({ kind: 'changed', recordId: record!.id });
    },
  );

  it('verifies a record from before the acting user was signed', async () => {
    await insertOldRecord();
    expect(await service.audit.verify({ heads })).toMatchObject({ ok: true, records: 14, unsealed: 0 });
  });

  it.each([
    ['details', `'{"fields":[]}'`],
    ['actors', `'[{"type":"system"}]'`],
    ['user_id', 'null'],
    ['acting_user_id', `'0190f6a0-0000-7000-8000-000000000001'`],
  ])('names a record from before the acting user was signed whose %s was changed', async (column, value) => {
    const id = await insertOldRecord();
    const fault = await faultAfter(`update svc_audit_log set ${column} = ${value} where id = '${id}'`);
    expect(fault).toMatchObject({ kind: 'changed', recordId: id });
  });

  it('names a record that was removed', async () => {
    const fault = await faultAfter(`delete from svc_audit_log where id = '${ids[6]}'`);
    expect(fault).toEqual({ kind: 'removed', recordId: ids[6], seal: 2 });
  });

  it('names a record that was inserted', async () => {
    const forged = ids[4]!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const columns = 'occurred_at, action, outcome, actors, details, mac, seal';
    const fault = await faultAfter(
      `insert into svc_audit_log (id, ${columns}) select '${forged}', ${columns} from svc_audit_log where id = '${ids[4]}'`,
    );
    expect(fault).toEqual({
      kind: expect.stringMatching(/inserted|swapped/) as string,
      recordId: forged,
      seal: 2,
    });
  });

  it('names a record that was copied without a seal', async () => {
    const columns = 'occurred_at, action, outcome, actors, details, mac';
    const fault = await faultAfter(
      `insert into svc_audit_log (id, ${columns}) select '${ids[4]!.replace(/^..../, 'ffff')}', ${columns} from svc_audit_log where id = '${ids[4]}'`,
    );
    expect(fault).toMatchObject({ kind: expect.stringMatching(/changed|inserted|swapped/) as string });
  });

  it('names two records that were swapped', async () => {
    const [a, b] = [ids[4]!, ids[5]!];
    const fault = await faultAfter(
      `update svc_audit_log set id = '${b.replace(/^..../, 'ffff')}' where id = '${a}'`,
      `update svc_audit_log set id = '${a}' where id = '${b}'`,
      `update svc_audit_log set id = '${b}' where id = '${b.replace(/^..../, 'ffff')}'`,
    );
    expect(fault).toEqual({ kind: 'swapped', recordId: a, seal: 2 });
  });

  it('names a record that was moved to another seal', async () => {
    const fault = await faultAfter(`update svc_audit_log set seal = 3 where id = '${ids[7]}'`);
    expect(fault).toEqual({ kind: 'swapped', recordId: ids[7], seal: 2 });
  });

  it('names a seal that was changed with its records', async () => {
    const fault = await faultAfter(
      `delete from svc_audit_log where id = '${ids[7]}'`,
      `update svc_audit_seals set ids = '${ids.slice(4, 7).join(',')}', records = 7 where seal = 2`,
    );
    expect(fault).toEqual({ kind: 'changed', recordId: null, seal: 2 });
  });

  it('names the first record of a seal that is missing, in the middle and at the end', async () => {
    expect(await faultAfter('delete from svc_audit_seals where seal = 2')).toEqual({
      ...{ kind: 'removed', recordId: null, seal: 2 },
    });
    expect(
      await faultAfter(
        'delete from svc_audit_log where seal >= 2',
        'delete from svc_audit_seals where seal >= 2',
      ),
    ).toEqual({ kind: 'removed', recordId: null, seal: 2 });
  });

  it('notices an end that was cut off together with the state, by a head that was kept elsewhere', async () => {
    const before = await makeEarlierState();
    const fault = await faultAfter(
      'delete from svc_audit_log where seal = 4',
      'delete from svc_audit_seals where seal = 4',
      `update svc_audit_chain set state = '${before}'`,
    );
    expect(fault).toEqual({ kind: 'removed', recordId: null, seal: 4 });
    expect(await service.audit.verify()).toMatchObject({ ok: true });
  });

  /** Adds a seal, keeps its head, and returns the state of the chain before it. */
  async function makeEarlierState(): Promise<string> {
    const [row] = await database.sql('select state from svc_audit_chain');
    await service.users.create({ email: 'later@example.com' });
    heads.push((await service.audit.head())!);
    return String(row!['state']);
  }

  it.each([
    ['a record', 'svc_audit_log set action'],
    ['a seal', 'svc_audit_seals set mac'],
  ])('keeps %s that was changed from retention, so that it can be named', async (_what, column) => {
    await database.sql(`update ${column} = 'x' where seal = 2`);
    clock.advance(40 * 24 * 60 * 60_000);
    await service.purgeExpired();
    const { fault } = await service.audit.verify({ heads });
    expect(fault).toMatchObject({ kind: 'changed', seal: 2 });
    const kept = await database.sql('select distinct seal from svc_audit_log where seal < 4 order by seal');
    expect(kept.map(({ seal }) => Number(seal))).toEqual([2, 3]);
  });

  it('notices a state that was changed', async () => {
    const fault = await faultAfter(`update svc_audit_chain set state = '{}'`);
    expect(fault).toEqual({ kind: 'changed', recordId: null, seal: null });
  });

  it('notices an origin that was changed, and accepts one that was removed', async () => {
    await database.sql(`update svc_audit_log set personal = null`);
    expect(await service.audit.verify({ heads })).toMatchObject({ ok: true });
    const fault = await faultAfter(`update svc_audit_log set personal = '{"ip":"x"}' where id = '${ids[0]}'`);
    expect(fault).toEqual({ kind: 'changed', recordId: ids[0], seal: 1 });
  });
});
