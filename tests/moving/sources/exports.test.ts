// Sources in files, each as the service exports it.
// cspell:ignore JBSWY DPEHPK MFRGGZDFMZTWQ ASFY
import { collect, useFiles } from './collect.js';

const { fileWith } = useFiles();
const bcrypt = `$2b$10$${'a'.repeat(53)}`;

describe('Firebase', () => {
  it('carries the users of auth:export, with the parts of their hashes', async () => {
    const file = fileWith(
      'firebase.json',
      JSON.stringify(
        {
          users: [
            {
              ...{ localId: 'zKa9', email: 'ada@acme.test', emailVerified: true, displayName: 'Ada' },
              ...{
                passwordHash: 'ab-_',
                salt: 'cd-_',
                lastSignedInAt: '1706700000000',
                createdAt: '1704067200000',
              },
              ...{ phoneNumber: '+14155550100', disabled: true, customAttributes: '{"role":"editor"}' },
              providerUserInfo: [
                { providerId: 'google.com', rawId: '1122', email: 'ada@acme.test' },
                { providerId: 'password', rawId: 'ada@acme.test' },
                { providerId: 'phone', rawId: '+14155550100' },
              ],
            },
            {
              localId: 'zKb1',
              email: 'bob@acme.test',
              emailVerified: false,
              providerUserInfo: [],
              mfaInfo: [{}],
            },
          ],
        },
        null,
        2,
      ),
    );
    const { users, counts } = await collect('firebase', { file });
    expect(users).toEqual([
      {
        ...{
          externalId: 'zKa9',
          email: 'ada@acme.test',
          emailVerified: true,
          phone: '+14155550100',
          phoneVerified: true,
        },
        ...{ metadata: { displayName: 'Ada' }, roles: ['editor'], blocked: true },
        ...{ createdAt: new Date(1704067200000), lastSignInAt: new Date(1706700000000) },
        passwordHash: { format: 'firebase-scrypt', hash: 'ab+/', salt: 'cd+/' },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
      { externalId: 'zKb1', email: 'bob@acme.test', emailVerified: false },
    ]);
    expect([...counts.omitted.keys()].join()).toContain('second factors');
  });
});

describe('Auth0', () => {
  const users = [
    {
      ...{
        user_id: 'auth0|6543',
        email: 'ada@acme.test',
        email_verified: true,
        username: 'ada',
        name: 'Ada',
      },
      ...{ created_at: '2024-01-02T03:04:05.678Z', last_login: '2024-02-03T00:00:00.000Z', blocked: true },
      ...{ user_metadata: { color: 'red' }, app_metadata: { roles: ['editor'], secret: 'for the server' } },
      identities: [
        {
          connection: 'Username-Password-Authentication',
          user_id: '6543',
          provider: 'auth0',
          isSocial: false,
        },
        { connection: 'google-oauth2', user_id: '1122', provider: 'google-oauth2', isSocial: true },
      ],
    },
    { user_id: 'google-oauth2|3344', email: 'bob@acme.test', email_verified: true, name: 'bob@acme.test' },
  ];
  const lines = () => fileWith('auth0.ndjson', users.map((user) => JSON.stringify(user)).join('\n'));

  it('joins the file of password hashes, in any order', async () => {
    const others = Array.from({ length: 3000 }, (_, index) => ({
      _id: { $oid: `other${index}` },
      passwordHash: 'x',
    }));
    const hash = {
      _id: { $oid: '6543' },
      email_verified: true,
      email: 'ada@acme.test',
      passwordHash: bcrypt,
    };
    const content = [...others.slice(0, 1500), hash, ...others.slice(1500)].map((each) =>
      JSON.stringify(each),
    );
    const hashes = fileWith('auth0-hashes.ndjson', `\uFEFF${content.join('\r\n')}\r\n`);
    const collected = await collect('auth0', { file: lines(), hashes });
    expect(collected.users).toEqual([
      {
        ...{ externalId: 'auth0|6543', email: 'ada@acme.test', emailVerified: true, username: 'ada' },
        ...{
          metadata: { color: 'red', name: 'Ada' },
          roles: ['editor'],
          blocked: true,
          passwordHash: bcrypt,
        },
        ...{ createdAt: new Date('2024-01-02T03:04:05.678Z'), lastSignInAt: new Date('2024-02-03Z') },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
      {
        ...{ externalId: 'google-oauth2|3344', email: 'bob@acme.test', emailVerified: true },
        identities: [{ provider: 'google', providerAccountId: '3344' }],
      },
    ]);
  });

  it('renames identity providers as --map says', async () => {
    const collected = await collect('auth0', { file: lines(), map: 'provider.google-oauth2=workspace' });
    expect(collected.users[1]?.identities).toEqual([{ provider: 'workspace', providerAccountId: '3344' }]);
  });
});

describe('Clerk', () => {
  it('carries the CSV file of the dashboard', async () => {
    const file = fileWith(
      'clerk.csv',
      [
        'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher',
        `user_1,Ada,Lovelace,ada,ada@acme.test,+14155550100,ada@acme.test|a@b.test,,+14155550100,,JBSWY3DPEHPK3PXP,${bcrypt},bcrypt`,
        'user_2,,,,bob@acme.test,,,bob@acme.test,,,,,',
      ].join('\n'),
    );
    const { users } = await collect('clerk', { file });
    expect(users).toEqual([
      {
        ...{
          externalId: 'user_1',
          email: 'ada@acme.test',
          emailVerified: true,
          username: 'ada',
          phone: '+14155550100',
          phoneVerified: true,
        },
        ...{ metadata: { firstName: 'Ada', lastName: 'Lovelace' }, passwordHash: bcrypt },
        totp: { secret: 'JBSWY3DPEHPK3PXP' },
      },
      { externalId: 'user_2', email: 'bob@acme.test', emailVerified: false },
    ]);
  });

  it('carries the JSON of the API', async () => {
    const mail = (id: string, status: string) => ({
      id,
      email_address: `${id}@acme.test`,
      verification: { status },
    });
    const user = {
      ...{
        id: 'user_1',
        primary_email_address_id: 'b',
        email_addresses: [mail('a', 'verified'), mail('b', 'unverified')],
      },
      phone_numbers: [{ id: 'p', phone_number: '+14155550100', verification: { status: 'verified' } }],
      external_accounts: [
        { provider: 'oauth_google', provider_user_id: '1122', verification: { status: 'verified' } },
      ],
      ...{
        public_metadata: { role: 'admin' },
        private_metadata: { internal: true },
        banned: true,
        totp_enabled: true,
      },
      ...{ created_at: 1704067200000, last_sign_in_at: null },
    };
    const { users, counts } = await collect('clerk', {
      file: fileWith('clerk.json', JSON.stringify([user])),
    });
    expect(users).toEqual([
      {
        ...{
          externalId: 'user_1',
          email: 'b@acme.test',
          emailVerified: false,
          phone: '+14155550100',
          phoneVerified: true,
        },
        ...{
          metadata: { role: 'admin' },
          roles: ['admin'],
          blocked: true,
          createdAt: new Date(1704067200000),
        },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
    ]);
    expect([...counts.omitted.keys()].join()).toContain('only the CSV file has');
  });
});

describe('Keycloak', () => {
  const credential = (type: string, secret: object, data: object) => ({
    ...{ id: 'c', type, userLabel: 'My key', createdDate: 1704067200000 },
    secretData: JSON.stringify(secret),
    credentialData: JSON.stringify(data),
  });
  const id = '4f8a1f6e-1b7a-4c52-9f0e-1a2b3c4d5e6f';
  const realm = (credentials: object[]) => ({
    ...{ id: 'acme', realm: 'acme', groups: [{ name: 'staff' }], components: { keys: [{ users: [1] }] } },
    users: [
      {
        ...{
          id,
          username: 'ada',
          firstName: 'Ada',
          email: 'ada@acme.test',
          emailVerified: true,
          enabled: false,
        },
        ...{ createdTimestamp: 1704067200000, attributes: { locale: ['de'] }, credentials },
        realmRoles: ['default-roles-acme', 'offline_access', 'Editor'],
        federatedIdentities: [{ identityProvider: 'google', userId: '1122', userName: 'ada' }],
      },
    ],
    clients: [{ clientId: 'account' }],
  });

  it('carries the users of a realm with their credentials', async () => {
    const credentials = [
      credential(
        'password',
        { value: 'aGFzaA==', salt: 'c2FsdA==' },
        { hashIterations: 27500, algorithm: 'pbkdf2-sha256' },
      ),
      credential(
        'otp',
        { value: 'abcdefghij' },
        { subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1' },
      ),
      credential(
        'webauthn',
        {},
        {
          credentialId: 'ab+/',
          credentialPublicKey: 'cd-_',
          counter: 4,
          aaguid: 'aaguid',
          transports: ['USB'],
        },
      ),
    ];
    const file = fileWith('realm.json', JSON.stringify(realm(credentials), null, 2));
    const { users } = await collect('keycloak', { file });
    expect(users).toEqual([
      {
        ...{
          id,
          email: 'ada@acme.test',
          emailVerified: true,
          username: 'ada',
          roles: ['editor'],
          blocked: true,
        },
        ...{ metadata: { locale: ['de'], firstName: 'Ada' }, createdAt: new Date('2024-01-01Z') },
        passwordHash: {
          ...{ format: 'pbkdf2', digest: 'sha256', iterations: 27500, salt: 'c2FsdA==', hash: 'aGFzaA==' },
          encoding: 'base64',
        },
        // The string is the key.
        totp: { secret: 'MFRGGZDFMZTWQ2LK', name: 'My key', createdAt: new Date('2024-01-01Z') },
        passkeys: [
          {
            ...{
              id: 'ab-_',
              publicKey: 'cd-_',
              counter: 4,
              transports: ['usb'],
              aaguid: 'aaguid',
              name: 'My key',
            },
            userHandle: Buffer.from(id).toString('base64url'),
            createdAt: new Date('2024-01-01Z'),
          },
        ],
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
    ]);
  });

  it('writes Argon2 in the form that names its cost, and leaves out other apps', async () => {
    const additionalParameters = {
      hashLength: ['32'],
      memory: ['7168'],
      type: ['id'],
      version: ['1.3'],
      parallelism: ['1'],
    };
    const credentials = [
      credential(
        'password',
        { value: 'aGFzaA==', salt: 'c2FsdA==' },
        { hashIterations: 5, algorithm: 'argon2', additionalParameters },
      ),
      credential(
        'otp',
        { value: 'abcdefghij' },
        { subType: 'totp', digits: 8, period: 30, algorithm: 'HmacSHA256' },
      ),
    ];
    const file = fileWith(
      'realm-users-0.json',
      JSON.stringify({ realm: 'acme', users: realm(credentials).users }),
    );
    const { users, counts } = await collect('keycloak', { file });
    expect(users[0]).toMatchObject({ passwordHash: '$argon2id$v=19$m=7168,t=5,p=1$c2FsdA$aGFzaA' });
    expect(users[0]?.totp).toBeUndefined();
    expect([...counts.omitted.values()]).toEqual([1]);
  });

  it('carries further apps and every kind of security key, and counts what it leaves out', async () => {
    const totp = { subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1' };
    const key = { credentialId: 'ab-_', credentialPublicKey: 'cd-_', counter: 0 };
    const credentials = [
      ...['one', 'two', 'three', 'four'].map((value) => credential('otp', { value }, totp)),
      credential('otp', {}, totp),
      credential('webauthn', {}, key),
      credential('webauthn-passwordless', {}, { ...key, credentialId: 'ef-_' }),
      credential('recovery-authn-codes', {}, {}),
      credential('x509', {}, {}),
      { id: 'old', type: 'password', hashedSaltedValue: 'aGFzaA==', salt: 'c2FsdA==' },
    ];
    const file = fileWith('many.json', JSON.stringify(realm(credentials)));
    const { users, counts } = await collect('keycloak', { file });
    expect(users[0]?.totp?.otherApps).toHaveLength(2);
    expect(users[0]?.passkeys?.map(({ id: each }) => each)).toEqual(['ab-_', 'ef-_']);
    expect(users[0]?.passwordHash).toBeUndefined();
    expect([...counts.omitted].sort()).toEqual([
      ['authenticator apps of users with more than 3', 1],
      ['authenticator apps without a secret', 1],
      ['credentials of Keycloak: recovery-authn-codes', 1],
      ['credentials of Keycloak: x509', 1],
      ['passwords without a hash or a salt, as versions before 8 have exported them', 1],
      [expect.stringContaining('these keys are carried as passkeys'), 1],
    ]);
  });
});
