/** Devise, of Ruby on Rails: the table of the model User, and a table of identities of OmniAuth, if it exists. */
import { identity, isIdentity } from '../identity-providers.js';
import { related, type Source } from '../source.js';
import { asText, valueAt } from '../values.js';

export const devise: Source = {
  title: 'Devise',
  tables: {
    users: ['users', 'accounts', 'members', 'admins'],
    relations: {
      identities: {
        tables: ['identities', 'authentications', 'user_identities', 'omniauth_identities', 'user_providers'],
        userColumn: ['user_id'],
      },
    },
  },
  fields: {
    externalId: 'id',
    // After a change of the address, the new one waits in unconfirmed_email, which is not used.
    email: 'email',
    emailVerified: 'confirmed_at',
    username: ['username', 'login'],
    metadata: (row) => {
      const name = asText(valueAt(row, 'name'));
      return name === null ? null : { name };
    },
    roles: (row) => (typeof valueAt(row, 'role') === 'number' ? null : valueAt(row, 'role')),
    createdAt: 'created_at',
    lastSignInAt: ['current_sign_in_at', 'last_sign_in_at'],
    passwordHash: ['encrypted_password', 'password_digest'],
    identities: (row, context) => {
      if (asText(valueAt(row, 'otp_secret') ?? valueAt(row, 'encrypted_otp_secret')) !== null)
        context.omit('authenticator apps of devise-two-factor, which Rails has encrypted');
      return [row, ...related(row, 'identities')]
        .filter((each) => asText(valueAt(each, 'uid')) !== null)
        .map((each) => identity(valueAt(each, 'provider'), valueAt(each, 'uid'), context))
        .filter(isIdentity);
    },
  },
  notCarried: [
    'Locks after failed attempts, and sessions.',
    'Authenticator apps of devise-two-factor, which Active Record encrypts.',
    'Roles that are numbers of an enum.',
    'Whether an address is verified, without the module confirmable. Use --trust-addresses if your sign-up verifies it.',
    'The pepper, if config.pepper is set: configure deviseHasher({ pepper }), or no password matches.',
  ],
};
