// Which sources know that a phone number belongs to its user.
import { phoneWarning } from '../../../src/cli/import/summary.js';
import { collect, useFiles, type CollectOptions } from './collect.js';

const { fileWith, sqliteWith } = useFiles();
const number = '+14155550100';

async function phonesOf(from: string, options: CollectOptions) {
  const { users, counts } = await collect(from, options);
  return {
    phones: users.map(({ phone, phoneVerified }) => [phone, phoneVerified]),
    counted: [counts.phones, counts.verifiedPhones],
  };
}

describe('the phone numbers of a source', () => {
  it.each([
    ['auth0', (isProven: boolean) => ({ phone_number: number, phone_verified: isProven })],
    [
      'clerk',
      (isProven: boolean) => {
        const verification = { status: isProven ? 'verified' : 'unverified' };
        return { phone_numbers: [{ id: 'p', phone_number: number, verification }] };
      },
    ],
  ])('are verified if %s says so', async (from, userWith) => {
    const lines = [true, false].map((isProven) => JSON.stringify({ id: 'user_1', ...userWith(isProven) }));
    const file = fileWith(`${from}.json`, lines.join('\n'));
    const phones = [
      [number, true],
      [number, false],
    ];
    expect(await phonesOf(from, { file })).toEqual({ phones, counted: [2, 1] });
  });

  it('are verified if they are in the list of verified ones of the CSV file of Clerk', async () => {
    const file = fileWith(
      'clerk.csv',
      [
        'id,primary_email_address,primary_phone_number,verified_phone_numbers,unverified_phone_numbers',
        `1,a@acme.test,${number},${number},`,
        `2,b@acme.test,${number},,${number}`,
        `3,c@acme.test,,,`,
      ].join('\n'),
    );
    const { phones } = await phonesOf('clerk', { file });
    expect(phones).toEqual([
      [number, true],
      [number, false],
      [undefined, undefined],
    ]);
  });

  it('are verified by the phone provider of Firebase', async () => {
    const users = [{ localId: 'a', phoneNumber: number }, { localId: 'b' }];
    const file = fileWith('firebase.json', JSON.stringify({ users }));
    const { phones } = await phonesOf('firebase', { file });
    expect(phones).toEqual([
      [number, true],
      [undefined, undefined],
    ]);
  });

  it('are verified by the flag of better-auth, and by the time of Laravel', async () => {
    const betterAuth = sqliteWith(
      `create table user (id text primary key, email text, emailVerified int, phoneNumber text, phoneNumberVerified int);
       insert into user values ('1', 'a@acme.test', 1, '${number}', 1), ('2', 'b@acme.test', 1, '${number}', 0);`,
    );
    const laravel = sqliteWith(
      `create table users (id integer primary key, email text, phone text, phone_verified_at text);
       insert into users values (1, 'a@acme.test', '${number}', '2024-01-02 03:04:05'), (2, 'b@acme.test', '${number}', null);`,
    );
    const { phones } = await phonesOf('better-auth', { database: betterAuth });
    expect(phones).toEqual([
      [number, true],
      [number, false],
    ]);
    expect((await phonesOf('laravel', { database: laravel })).phones).toEqual([
      [number, true],
      [number, undefined],
    ]);
  });

  it('are not verified by an attribute of Keycloak, which users may write, unless the map names it', async () => {
    const attributes = { phoneNumber: [number], phoneNumberVerified: ['true'] };
    const users = [{ id: 'a', username: 'ada', attributes }];
    const file = fileWith('keycloak.json', JSON.stringify({ realm: 'acme', users }));
    expect((await phonesOf('keycloak', { file })).phones).toEqual([[number, undefined]]);
    const map = 'phoneVerified=attributes.phoneNumberVerified';
    expect((await phonesOf('keycloak', { file, map })).phones).toEqual([[number, true]]);
  });

  it('are verified by the column that the map names, in any form of a flag', async () => {
    const file = fileWith(
      'users.csv',
      ['mail,mobile,confirmed', `a@acme.test,${number},yes`, `b@acme.test,${number},perhaps`].join('\n'),
    );
    const map = 'email=mail,phone=mobile,phoneVerified=confirmed';
    const { users, counts } = await collect('csv', { file, map });
    expect(users.map(({ phoneVerified }) => phoneVerified)).toEqual([true, undefined]);
    expect([...counts.omitted.keys()].join()).toContain('values of `phoneVerified`');
  });

  it('are the subject of a warning, unless all are verified', async () => {
    const rows = [`a@acme.test,${number},yes`, `b@acme.test,${number},no`];
    const map = 'email=mail,phone=mobile,phoneVerified=confirmed';
    const countsOf = async (lines: string[]) =>
      (
        await collect('csv', {
          file: fileWith('warned.csv', ['mail,mobile,confirmed', ...lines].join('\n')),
          map,
        })
      ).counts;
    const counts = await countsOf(rows);
    expect(phoneWarning(counts, false)).toMatch(/1 of 2 phone numbers .* not imported.*--trust-phones/);
    expect(phoneWarning(counts, true)).toContain('With --trust-phones they are.');
    expect(phoneWarning(await countsOf(rows.slice(0, 1)), false)).toBeNull();
  });
});
