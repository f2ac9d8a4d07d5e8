/** What the doctor finds behind a real PgBouncer in transaction mode. */
import { spawnSync } from 'node:child_process';
import { createService, knexAdapter, type ServiceConfig } from 'svc-auth';
import { describeWithPgBouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

const sender = { send: async () => undefined };
const secret = 'q1xZ0m4Wv7pJ9sYk2cTfLh8RbNd3GgEa5UuVoXiPzQe6MwKyStCjBnHl';

describeWithPgBouncer('the doctor behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  const started: PgBouncer[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    const direct = createService({ adapter: adapterOf(database.url), session: { secret } });
    await direct.init();
    await direct.close();
  });

  afterAll(async () => {
    for (const pooler of started) await pooler.stop();
    await database.drop();
  });

  const adapterOf = (connection: string, listenConnection?: string) =>
    knexAdapter(
      { client: 'pg', connection, pool: { min: 0, max: 10 } },
      listenConnection === undefined ? {} : { listenConnection },
    );

  async function pooler(): Promise<string> {
    const bouncer = await startPgBouncer(database.url, 4);
    started.push(bouncer);
    return bouncer.url;
  }

  async function idsOf(config: Pick<ServiceConfig, 'adapter'> & { cache?: object }): Promise<string[]> {
    const service = createService({
      adapter: config.adapter,
      session: { secret, ...(config.cache && { cache: config.cache }) },
      providers: { emailCode: { sender } },
    });
    try {
      return (await service.diagnose()).map(({ id }) => id);
    } finally {
      await service.close();
    }
  }

  // PgBouncer tracks them since 1.21, by default since 1.24.
  const loss = isTracking() ? [] : ['pooler_prepared'];

  it('finds that prepared statements are lost, unless the pooler tracks them', async () => {
    expect(await idsOf({ adapter: adapterOf(await pooler()) })).toEqual(loss);
  });

  it('finds that session.cache hears no notification', async () => {
    expect(await idsOf({ adapter: adapterOf(await pooler()), cache: {} })).toEqual([
      'pooler_listen',
      ...loss,
    ]);
  });

  it('hears notifications if session.cache listens on a direct connection', async () => {
    expect(await idsOf({ adapter: adapterOf(await pooler(), database.url), cache: {} })).toEqual(loss);
  });

  it('finds nothing without a pooler', async () => {
    expect(await idsOf({ adapter: adapterOf(database.url), cache: {} })).toEqual([]);
  });
});

function isTracking(): boolean {
  const program = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer';
  const { stdout = '' } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/^PgBouncer 1\.(\d+)/.exec(stdout)?.[1]) >= 24;
}
