// Sources in databases: each with the tables that the system creates itself.
// cspell:ignore JBSWY DPEHPK ASFY CAYgASFY Yg
import { createDatabase, querySql, type TestDatabase } from '../../support/postgres.js';
import { collect, useFiles } from './collect.js';
import { sealedByLaravel } from './laravel-box.js';

const { sqliteWith } = useFiles();
const bcrypt = `$2b$10$${'a'.repeat(53)}`;
const phpBcrypt = `$2y$12$${'b'.repeat(53)}`;

describe('better-auth', () => {
  // As `npx @better-auth/cli generate` writes it for SQLite, with the plugins of the columns.
  const schema = `
    create table "user" ("id" text not null primary key, "name" text not null, "email" text not null unique, "emailVerified" integer not null,
      "image" text, "createdAt" date not null, "updatedAt" date not null, "username" text unique, "displayUsername" text,
      "twoFactorEnabled" integer, "role" text, "banned" integer, "banReason" text, "banExpires" date, "phoneNumber" text, "phoneNumberVerified" integer);
    create table "account" ("id" text not null primary key, "accountId" text not null, "providerId" text not null, "userId" text not null,
      "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" date, "refreshTokenExpiresAt" date, "scope" text,
      "password" text, "createdAt" date not null, "updatedAt" date not null);
    create table "twoFactor" ("id" text not null primary key, "secret" text not null, "backupCodes" text not null, "userId" text not null, "verified" integer);
    create table "passkey" ("id" text not null primary key, "name" text, "publicKey" text not null, "userId" text not null, "credentialID" text not null,
      "counter" integer not null, "deviceType" text not null, "backedUp" integer not null, "transports" text, "createdAt" date, "aaguid" text);
    create table "organization" ("id" text not null primary key, "name" text not null, "slug" text unique, "logo" text, "createdAt" date not null, "metadata" text);
    create table "member" ("id" text not null primary key, "organizationId" text not null, "userId" text not null, "role" text not null, "createdAt" date not null);
    create table "apikey" ("id" text not null primary key, "name" text, "start" text, "prefix" text, "key" text not null, "userId" text not null,
      "enabled" integer, "lastRequest" date, "expiresAt" date, "createdAt" date not null, "permissions" text);`;
  const hash = `${'0a'.repeat(16)}:${'0b'.repeat(64)}`;
  // Encrypted by better-auth 1.7.
  const secret = 'the secret of the old better-auth app';
  const sealed =
    'c751c99f7add2e8ec171140ce0a50dc495363921a81e9dfe1a3f4d183749f8293903c97bf7d25c78d72bd825f76d0121edeb6c2a93047d7f034ee2da25a796388601d1a9dbdca891';
  const sealedCodes =
    '06a9ec2ec0bea8d46abcd67e48fcb9b4533aabcf50768717131dc0761e23c668fae48124a4c950abc530fe061a683018c0308394f077e0f6f43549aa64397355c7a35ad325';
  const enveloped =
    '$ba$3$e56a9b264417d0116f3db0bf375ccaccbff07d5c42d3d5c92d897fcddaf389974a356d916a6fe5e43ba5fe6dc494ae002e7055df137d6707b12fd0dfe06848009af01065cced1c7b';
  // As its URL for authenticator apps has it.
  const base32 = 'MFBGGRDFIZTUQ2KKNNGG2TTPKBYVE42UOVLHOWDZLIYDCMRTGQ2Q';
  const digest = 'A'.repeat(43);
  const database = () =>
    sqliteWith(`${schema}
      insert into "user" values ('Kx1', 'Ada', 'ada@acme.test', 1, null, '2024-01-02T03:04:05.000Z', '2024-01-02T03:04:05.000Z', 'ada', 'Ada', 1,
        'admin', 0, null, null, '+14155550100', 1);
      insert into "user" values ('Kx2', 'Bob', 'bob@acme.test', 0, null, '2024-01-02T03:04:05.000Z', '2024-01-02T03:04:05.000Z', null, null, 1,
        'user', 1, 'spam', null, '+14155550101', 0);
      insert into "account" values ('a1', 'Kx1', 'credential', 'Kx1', null, null, null, null, null, null, '${hash}', '2024-01-02', '2024-01-02');
      insert into "account" values ('a2', '1122', 'google', 'Kx1', 'token', null, null, null, null, null, null, '2024-01-03T00:00:00.000Z', '2024-01-02');
      insert into "twoFactor" values ('t1', '${sealed}', '${sealedCodes}', 'Kx1', 1);
      insert into "twoFactor" values ('t2', '${enveloped}', '["one","two"]', 'Kx2', null);
      insert into "passkey" values ('p1', 'Key', 'pQECAyYgASFY+/8=', 'Kx1', 'Y3JlZA-_', 5, 'multiDevice', 1, 'internal,hybrid', '2024-01-02', 'aaguid');
      insert into "organization" values ('o1', 'Acme', 'acme', null, '2024-01-02', '{"plan":"pro"}');
      insert into "member" values ('m1', 'o1', 'Kx1', 'owner', '2024-01-02');
      insert into "member" values ('m2', 'o1', 'Kx2', 'billing', '2024-01-02');
      insert into "apikey" values ('k1', 'CI', 'ba_123', null, '${digest}', 'Kx1', 1, null, null, '2024-01-02', null);`);

  it('does not take the name of another user, which anyone may display', async () => {
    const file = sqliteWith(`${schema}
      insert into "user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt", "username", "displayUsername") values
        ('1', 'Eve', 'eve@acme.test', 1, '2024-01-02', '2024-01-02', 'eve', 'Ada'),
        ('2', 'Ada', 'ada@acme.test', 1, '2024-01-02', '2024-01-02', 'ada', 'ADA'),
        ('3', 'Bob', 'bob@acme.test', 1, '2024-01-02', '2024-01-02', null, 'ada')`);
    const { users } = await collect('better-auth', { database: file });
    expect(users.map(({ username }) => username)).toEqual(['eve', 'ADA', undefined]);
  });

  it('carries everything that a user has', async () => {
    const { users, counts } = await collect('better-auth', { database: database(), secret });
    expect(users[0]).toEqual({
      id: 'Kx1',
      email: 'ada@acme.test',
      emailVerified: true,
      username: 'Ada',
      phone: '+14155550100',
      phoneVerified: true,
      metadata: { name: 'Ada' },
      roles: ['admin'],
      createdAt: new Date('2024-01-02T03:04:05.000Z'),
      passwordHash: hash,
      identities: [{ provider: 'google', providerAccountId: '1122', createdAt: new Date('2024-01-03') }],
      totp: { secret: base32, recoveryCodes: ['AbCdE-12345', 'fGhIj-67890'] },
      passkeys: [
        {
          ...{ id: 'Y3JlZA-_', publicKey: 'pQECAyYgASFY-_8', counter: 5, transports: ['internal', 'hybrid'] },
          ...{
            backupEligible: true,
            backedUp: true,
            aaguid: 'aaguid',
            name: 'Key',
            createdAt: new Date('2024-01-02'),
          },
        },
      ],
      apiKeys: [
        {
          ...{ digest, prefix: 'ba_123', name: 'CI', createdAt: new Date('2024-01-02') },
          ...{ lastUsedAt: null, expiresAt: null },
        },
      ],
      memberships: [
        {
          organization: {
            ...{ externalId: 'o1', name: 'Acme', slug: 'acme', metadata: { plan: 'pro' } },
            createdAt: new Date('2024-01-02'),
          },
          role: 'owner',
          createdAt: new Date('2024-01-02'),
        },
      ],
    });
    expect(users[1]).toMatchObject({
      emailVerified: false,
      blocked: { reason: 'spam' },
      totp: { secret: base32, recoveryCodes: ['one', 'two'] },
    });
    expect(users[1]).toMatchObject({ phone: '+14155550101', phoneVerified: false });
    expect(users[1]?.memberships?.[0]?.role).toBe('member');
    expect([...counts.omitted.keys()].join()).toContain('became member');
  });

  it('says that authenticator apps need the secret, and which secret is wrong', async () => {
    const without = await collect('better-auth', { database: database() });
    expect(without.users[0]?.totp).toBeUndefined();
    expect([...without.counts.omitted].flat().join()).toContain('BETTER_AUTH_SECRET');
    const wrong = await collect('better-auth', { database: database(), secret: 'another' });
    expect([...wrong.counts.omitted].flat().join()).toContain('does not decrypt');
  });
});

describe('Auth.js', () => {
  it('carries accounts and authenticators from the tables of its adapter for PostgreSQL', async () => {
    const database: TestDatabase = await createDatabase();
    try {
      await querySql(
        database.url,
        `create table users (id serial, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text, primary key (id));
         create table accounts (id serial, "userId" integer not null, type varchar(255) not null, provider varchar(255) not null, "providerAccountId" varchar(255) not null,
           refresh_token text, access_token text, expires_at bigint, id_token text, scope text, session_state text, token_type text, primary key (id));
         create table authenticator ("credentialID" text not null unique, "userId" integer not null, "providerAccountId" text not null, "credentialPublicKey" text not null,
           counter integer not null, "credentialDeviceType" text not null, "credentialBackedUp" boolean not null, transports text, primary key ("userId", "credentialID"));
         insert into users (name, email, "emailVerified", image) values ('Ada', 'ada@acme.test', '2024-05-06 07:08:09+02', 'https://acme.test/ada.png'), ('Bob', 'bob@acme.test', null, null);
         insert into accounts ("userId", type, provider, "providerAccountId") values (1, 'oidc', 'google', '1122'), (1, 'webauthn', 'passkey', 'x'), (2, 'oauth', 'github', '33');
         insert into authenticator values ('ab+/==', 1, 'x', 'cd+/=', 2, 'singleDevice', false, 'usb')`,
      );
      const { users, opened } = await collect('authjs', { database: database.url });
      expect(opened.total).toBe(2);
      expect(users).toEqual([
        {
          ...{ id: 1, email: 'ada@acme.test', emailVerified: true },
          metadata: { name: 'Ada', image: 'https://acme.test/ada.png' },
          identities: [{ provider: 'google', providerAccountId: '1122' }],
          passkeys: [
            {
              ...{ id: 'ab-_', publicKey: 'cd-_', counter: 2, transports: ['usb'] },
              ...{ backupEligible: false, backedUp: false },
            },
          ],
        },
        {
          ...{ id: 2, email: 'bob@acme.test', metadata: { name: 'Bob' } },
          identities: [{ provider: 'github', providerAccountId: '33' }],
        },
      ]);
    } finally {
      await database.drop();
    }
  });
});

describe('Lucia', () => {
  it('carries the keys of version 2', async () => {
    const database = sqliteWith(`
      create table user (id varchar(15) not null primary key, name text);
      create table user_key (id varchar(255) not null primary key, user_id varchar(15) not null references user(id), hashed_password varchar(255));
      create table user_session (id varchar(127) not null primary key, user_id varchar(15) not null, active_expires bigint not null, idle_expires bigint not null);
      insert into user values ('abcdefghijklmno', 'Ada');
      insert into user_key values ('email:ada@acme.test', 'abcdefghijklmno', 's2:salt:${'0c'.repeat(64)}');
      insert into user_key values ('github:33', 'abcdefghijklmno', null);`);
    const { users } = await collect('lucia', { database });
    expect(users).toEqual([
      {
        ...{ id: 'abcdefghijklmno', email: 'ada@acme.test', passwordHash: `s2:salt:${'0c'.repeat(64)}` },
        identities: [{ provider: 'github', providerAccountId: '33' }],
      },
    ]);
  });

  it('carries the tables of version 3, with columns of any name by --map', async () => {
    const database = sqliteWith(`
      create table user (id text not null primary key, mail text, mail_ok integer);
      create table password (hashed_password text not null, user_id text not null);
      create table oauth_account (provider_id text not null, provider_user_id text not null, user_id text not null, primary key (provider_id, provider_user_id));
      insert into user values ('u1', 'ada@acme.test', 1);
      insert into password values ('$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'a'.repeat(43)}', 'u1');
      insert into oauth_account values ('google', '1122', 'u1');`);
    const { users } = await collect('lucia', { database, map: 'email=mail,emailVerified=mail_ok' });
    expect(users).toMatchObject([
      {
        email: 'ada@acme.test',
        emailVerified: true,
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
    ]);
    expect(users[0]?.passwordHash).toMatch(/^\$argon2id\$/);
  });
});

describe('Supabase', () => {
  it('does not take a confirmed number for a proof of the address, and keeps endless bans', async () => {
    const database = await createDatabase();
    try {
      await querySql(
        database.url,
        `create schema auth;
         create table auth.users (id uuid not null primary key, email text, email_confirmed_at timestamptz, phone text, phone_confirmed_at timestamptz,
           confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored, banned_until timestamptz);
         insert into auth.users (id, email, phone, phone_confirmed_at) values (gen_random_uuid(), 'ada@acme.test', '14155550100', '2024-01-02');
         update auth.users set banned_until = 'infinity'`,
      );
      const { users } = await collect('supabase', { database: database.url });
      expect(users).toEqual([
        {
          id: expect.any(String),
          email: 'ada@acme.test',
          phone: '+14155550100',
          phoneVerified: true,
          blocked: true,
        },
      ]);
    } finally {
      await database.drop();
    }
  });

  it('carries users, identities and authenticator apps of the schema auth', async () => {
    const database = await createDatabase();
    const id = '4f8a1f6e-1b7a-4c52-9f0e-1a2b3c4d5e6f';
    try {
      await querySql(
        database.url,
        `create schema auth;
         create table auth.users (instance_id uuid, id uuid not null primary key, aud varchar(255), role varchar(255), email varchar(255), encrypted_password varchar(255),
           email_confirmed_at timestamptz, invited_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb, is_super_admin bool,
           created_at timestamptz, updated_at timestamptz, phone text, phone_confirmed_at timestamptz, banned_until timestamptz, deleted_at timestamptz, is_anonymous bool);
         create table auth.identities (provider_id text not null, user_id uuid not null, identity_data jsonb not null, provider text not null, last_sign_in_at timestamptz, created_at timestamptz, id uuid not null primary key);
         create table auth.mfa_factors (id uuid not null primary key, user_id uuid not null, friendly_name text, factor_type text not null, status text not null, created_at timestamptz not null, secret text);
         create table public.users (id int primary key, email text);
         insert into auth.users (id, role, email, encrypted_password, email_confirmed_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, phone, phone_confirmed_at)
           values ('${id}', 'authenticated', 'ada@acme.test', '$2a$10$${'c'.repeat(53)}', '2024-01-02', '2024-02-03', '{"roles":["editor"]}', '{"name":"Ada"}', '2024-01-01Z', '14155550100', '2024-01-02');
         insert into auth.identities values ('1122', '${id}', '{"sub":"1122"}', 'google', null, '2024-01-02T00:00:00Z', gen_random_uuid()), ('${id}', '${id}', '{}', 'email', null, null, gen_random_uuid());
         insert into auth.mfa_factors values (gen_random_uuid(), '${id}', 'Phone', 'totp', 'verified', '2024-01-02T00:00:00Z', 'JBSWY3DPEHPK3PXP'), (gen_random_uuid(), '${id}', null, 'totp', 'unverified', now(), 'AAAA')`,
      );
      const { users } = await collect('supabase', { database: database.url });
      expect(users).toEqual([
        {
          ...{
            id,
            email: 'ada@acme.test',
            emailVerified: true,
            phone: '+14155550100',
            phoneVerified: true,
            metadata: { name: 'Ada' },
            roles: ['editor'],
          },
          ...{
            createdAt: new Date('2024-01-01Z'),
            lastSignInAt: expect.any(Date),
            passwordHash: `$2a$10$${'c'.repeat(53)}`,
          },
          identities: [{ provider: 'google', providerAccountId: '1122', createdAt: new Date('2024-01-02') }],
          totp: { secret: 'JBSWY3DPEHPK3PXP', name: 'Phone', createdAt: new Date('2024-01-02') },
        },
      ]);
    } finally {
      await database.drop();
    }
  });
});

describe('Django', () => {
  const schema = `
    create table auth_user (id integer not null primary key autoincrement, password varchar(128) not null, last_login datetime null, is_superuser bool not null,
      username varchar(150) not null unique, last_name varchar(150) not null, email varchar(254) not null, is_staff bool not null, is_active bool not null,
      date_joined datetime not null, first_name varchar(150) not null);
    create table auth_group (id integer not null primary key autoincrement, name varchar(150) not null unique);
    create table auth_user_groups (id integer not null primary key autoincrement, user_id integer not null, group_id integer not null);
    insert into auth_user values (1, 'pbkdf2_sha256$600000$salt$${'a'.repeat(43)}=', '2024-02-03 04:05:06.789', 1, 'ada', 'Lovelace', 'ada@acme.test', 1, 1, '2024-01-02 03:04:05', 'Ada');
    insert into auth_user values (2, '!unusableABCDEF', null, 0, 'bob', '', '', 0, 0, '2024-01-02 03:04:05', '');
    insert into auth_group values (7, 'Content Editors');
    insert into auth_user_groups values (1, 1, 7);`;

  it('carries users with their groups, and times as UTC', async () => {
    const { users } = await collect('django', { database: sqliteWith(schema) });
    expect(users).toEqual([
      {
        ...{
          externalId: 1,
          email: 'ada@acme.test',
          username: 'ada',
          metadata: { firstName: 'Ada', lastName: 'Lovelace' },
        },
        roles: ['staff', 'superuser', 'content_editors'],
        ...{
          createdAt: new Date('2024-01-02T03:04:05Z'),
          lastSignInAt: new Date('2024-02-03T04:05:06.789Z'),
        },
        passwordHash: `pbkdf2_sha256$600000$salt$${'a'.repeat(43)}=`,
      },
      { externalId: 2, username: 'bob', createdAt: new Date('2024-01-02T03:04:05Z'), blocked: true },
    ]);
  });

  it('takes verified addresses, accounts and authenticator apps from django-allauth', async () => {
    const database = sqliteWith(`${schema}
      create table account_emailaddress (id integer primary key, verified bool not null, "primary" bool not null, user_id integer not null, email varchar(254) not null);
      create table socialaccount_socialaccount (id integer primary key, provider varchar(200), uid varchar(191), last_login datetime, date_joined datetime, extra_data text, user_id integer);
      create table mfa_authenticator (id integer primary key, type varchar(20), data text, user_id integer, created_at datetime, last_used_at datetime);
      insert into account_emailaddress values (1, 1, 1, 1, 'ada@new.test'), (2, 0, 0, 1, 'ada@acme.test');
      insert into socialaccount_socialaccount values (1, 'google', '1122', null, null, '{}', 1);
      insert into mfa_authenticator values (1, 'totp', '{"secret": "JBSWY3DPEHPK3PXP"}', 1, null, null), (2, 'totp', '{"secret": "gAAAA-encrypted"}', 2, null, null);`);
    const { users, counts } = await collect('django', { database });
    expect(users[0]).toMatchObject({
      ...{ email: 'ada@new.test', emailVerified: true, totp: { secret: 'JBSWY3DPEHPK3PXP' } },
      identities: [{ provider: 'google', providerAccountId: '1122' }],
    });
    expect([...counts.omitted.keys()]).toEqual([
      'authenticator apps that the adapter of django-allauth has encrypted',
    ]);
  });
});

describe('Devise', () => {
  it('carries hashes, confirmations and identities of OmniAuth', async () => {
    const database = sqliteWith(`
      create table users (id integer primary key, email varchar default '' not null, encrypted_password varchar default '' not null, reset_password_token varchar,
        sign_in_count integer, current_sign_in_at datetime(6), last_sign_in_at datetime(6), confirmation_token varchar, confirmed_at datetime(6), unconfirmed_email varchar,
        provider varchar, uid varchar, role integer, created_at datetime(6) not null, updated_at datetime(6) not null, otp_secret varchar);
      create table identities (id integer primary key, user_id integer, provider varchar, uid varchar);
      insert into users values (1, 'ada@acme.test', '${bcrypt}', null, 3, '2024-02-03 04:05:06.123456', null, null, '2024-01-02 03:04:05', 'other@acme.test', 'google_oauth2', '1122', 2, '2024-01-01 00:00:00', '2024-01-01', '{"p":"x"}');
      insert into users values (2, 'bob@acme.test', '', null, 0, null, null, 'token', null, null, null, null, 0, '2024-01-01 00:00:00', '2024-01-01', null);
      insert into identities values (1, 2, 'github', '33');`);
    const { users, counts } = await collect('devise', { database });
    expect(users).toEqual([
      {
        ...{ externalId: 1, email: 'ada@acme.test', emailVerified: true, passwordHash: bcrypt },
        ...{ createdAt: new Date('2024-01-01Z'), lastSignInAt: new Date('2024-02-03T04:05:06.123Z') },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
      {
        ...{ externalId: 2, email: 'bob@acme.test', createdAt: new Date('2024-01-01Z') },
        identities: [{ provider: 'github', providerAccountId: '33' }],
      },
    ]);
    expect([...counts.omitted]).toEqual([
      ['authenticator apps of devise-two-factor, which Rails has encrypted', 1],
    ]);
  });
});

describe('Laravel', () => {
  const key = `base64:${Buffer.alloc(32, 7).toString('base64')}`;
  const database = () =>
    sqliteWith(`
      create table users (id integer primary key autoincrement not null, name varchar not null, email varchar not null, email_verified_at datetime, password varchar not null,
        remember_token varchar, created_at datetime, updated_at datetime, two_factor_secret text, two_factor_recovery_codes text, two_factor_confirmed_at datetime);
      create table social_accounts (id integer primary key, user_id integer, provider varchar, provider_id varchar);
      create table roles (id integer primary key, name varchar, guard_name varchar);
      create table model_has_roles (role_id integer, model_type varchar, model_id integer);
      insert into users values (1, 'Ada', 'ada@acme.test', '2024-01-02 03:04:05', '${phpBcrypt}', null, '2024-01-01 00:00:00', null,
        '${sealedByLaravel('JBSWY3DPEHPK3PXP', key)}', '${sealedByLaravel('["AAAAAAAAAA-BBBBBBBBBB"]', key)}', '2024-01-03 00:00:00');
      insert into users values (2, 'Bob', 'bob@acme.test', null, '${phpBcrypt}', null, null, null, '${sealedByLaravel('JBSWY3DPEHPK3PXP', key)}', null, null);
      insert into social_accounts values (1, 1, 'google', '1122');
      insert into roles values (5, 'Editor', 'web');
      insert into model_has_roles values (5, 'App\\Models\\User', 1), (5, 'App\\Models\\Team', 2);`);

  it('decrypts authenticator apps and recovery codes of Fortify with APP_KEY', async () => {
    const { users } = await collect('laravel', { database: database(), secret: key });
    expect(users).toEqual([
      {
        ...{
          externalId: 1,
          email: 'ada@acme.test',
          emailVerified: true,
          metadata: { name: 'Ada' },
          roles: ['editor'],
        },
        ...{ createdAt: new Date('2024-01-01Z'), passwordHash: phpBcrypt },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
        totp: { secret: 'JBSWY3DPEHPK3PXP', recoveryCodes: ['AAAAAAAAAA-BBBBBBBBBB'] },
      },
      { externalId: 2, email: 'bob@acme.test', metadata: { name: 'Bob' }, passwordHash: phpBcrypt },
    ]);
  });

  it.each([
    [undefined, 'set APP_KEY'],
    [`base64:${Buffer.alloc(32, 8).toString('base64')}`, 'does not decrypt'],
    ['short', 'does not decrypt'],
  ])('reports authenticator apps that the key %s cannot open', async (secret, reason) => {
    const { counts } = await collect('laravel', {
      database: database(),
      ...(secret !== undefined && { secret }),
    });
    expect([...counts.omitted].flat().join()).toContain(reason);
  });
});
