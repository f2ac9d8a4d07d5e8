/** Django: django.contrib.auth, and django-allauth, if its tables exist. */
import { identity, isIdentity } from '../identity-providers.js';
import { lookedUp, related, type MapContext, type Row, type Source } from '../source.js';
import { asFlag, asObject, asText, asTime, valueAt } from '../values.js';

const userColumn = ['user_id'];

export const django: Source = {
  title: 'Django',
  tables: {
    users: [
      'auth_user',
      'users_user',
      'accounts_user',
      'accounts_customuser',
      'users_customuser',
      'core_user',
    ],
    relations: {
      groups: {
        tables: ['auth_user_groups', 'users_user_groups', 'accounts_user_groups'],
        userColumn: ['user_id', 'customuser_id'],
        lookups: { group: { tables: ['auth_group'], column: ['group_id'] } },
      },
      mails: { tables: ['account_emailaddress'], userColumn },
      accounts: { tables: ['socialaccount_socialaccount'], userColumn },
      authenticators: { tables: ['mfa_authenticator'], userColumn },
    },
  },
  fields: {
    externalId: 'id',
    email: (row) => primaryMail(row)?.['email'] ?? valueAt(row, 'email'),
    emailVerified: (row) => primaryMail(row)?.['verified'] ?? valueAt(row, 'email_verified'),
    username: 'username',
    metadata: (row) => {
      const [firstName, lastName] = [asText(valueAt(row, 'first_name')), asText(valueAt(row, 'last_name'))];
      return { ...(firstName !== null && { firstName }), ...(lastName !== null && { lastName }) };
    },
    roles: (row) => [
      ...(asFlag(valueAt(row, 'is_staff')) ? ['staff'] : []),
      ...(asFlag(valueAt(row, 'is_superuser')) ? ['superuser'] : []),
      ...related(row, 'groups').map((each) => asText(lookedUp(each, 'group')?.['name']) ?? ''),
    ],
    createdAt: 'date_joined',
    lastSignInAt: 'last_login',
    blocked: (row) => (asFlag(valueAt(row, 'is_active')) === false ? true : null),
    // `!` and random characters are Django's mark of an account without a password.
    passwordHash: (row) => asText(valueAt(row, 'password'))?.replace(/^!.*$/s, ''),
    identities: (row, context) =>
      related(row, 'accounts')
        .map((each) =>
          identity(valueAt(each, 'provider'), valueAt(each, 'uid'), context, valueAt(each, 'date_joined')),
        )
        .filter(isIdentity),
    totp: totpOf,
  },
  notCarried: [
    'Sessions and permissions. Groups become roles; is_staff and is_superuser become the roles `staff` and `superuser`.',
    'Whether an address is verified, without django-allauth: Django has no such flag. Use --trust-addresses if your sign-up verifies it.',
    'Recovery codes and security keys of django-allauth.',
  ],
};

function primaryMail(row: Row): Row | undefined {
  const mails = related(row, 'mails');
  const own = asText(valueAt(row, 'email'))?.toLowerCase();
  return (
    mails.find((each) => asFlag(valueAt(each, 'primary'))) ??
    mails.find((each) => asText(valueAt(each, 'email'))?.toLowerCase() === own)
  );
}

function totpOf(row: Row, context: MapContext) {
  const found = related(row, 'authenticators').find((each) => valueAt(each, 'type') === 'totp');
  const secret = found && asText(asObject(valueAt(found, 'data'))?.['secret']);
  if (!found || secret === null || secret === undefined) return null;
  if (!/^[A-Z2-7]+=*$/.test(secret)) {
    context.omit('authenticator apps that the adapter of django-allauth has encrypted');
    return null;
  }
  return { secret, createdAt: asTime(valueAt(found, 'created_at')) };
}
