// `svc-auth import` reads an old database on MariaDB.
import { createMariaDatabase, describeWithMariaDb, runMariaSql } from '../support/mariadb.js';
import { collect } from '../moving/sources/collect.js';

const hash = `$2y$10$${'a'.repeat(53)}`;

describeWithMariaDb('An old database on MariaDB', () => {
  it('is proposed a map and read in pages, with its bytes, flags and times', async () => {
    const database = await createMariaDatabase();
    try {
      await runMariaSql(
        database.url,
        'create table users (id bigint unsigned primary key auto_increment, email varchar(255), password char(60), salt_of_other binary(16), is_verified tinyint(1), created_at datetime, photo longblob, settings json)',
      );
      await runMariaSql(
        database.url,
        'create table federated (id int primary key auto_increment, user_id bigint unsigned, provider varchar(50), subject varchar(100))',
      );
      await runMariaSql(
        database.url,
        `insert into users (email, password, is_verified, created_at) select concat('user', seq, '@acme.test'), '${hash}', seq % 2, '2024-01-02 03:04:05' from seq_1_to_1201`,
      );
      await runMariaSql(
        database.url,
        `insert into federated (user_id, provider, subject) values (1201, 'google', '1122')`,
      );
      const { opened, users } = await collect('passport', { database: database.url });
      expect(opened).toMatchObject({ total: 1201, place: 'MySQL, tables users, federated' });
      expect(users).toHaveLength(1201);
      expect(users[1200]).toEqual({
        ...{ externalId: 1201, email: 'user1201@acme.test', emailVerified: true, passwordHash: hash },
        createdAt: new Date('2024-01-02T03:04:05Z'),
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      });
      expect(users[1]?.emailVerified).toBe(false);
    } finally {
      await database.drop();
    }
  });
});
