/** Firebase: the file of `firebase auth:export users.json`. */
import { identity, isIdentity } from '../identity-providers.js';
import type { Source } from '../source.js';
import { asObject, asObjects, asText, valueAt } from '../values.js';

/** Firebase writes base64 in both alphabets. */
const plainBase64 = (value: unknown) => asText(value)?.replaceAll('-', '+').replaceAll('_', '/') ?? null;

export const firebase: Source = {
  title: 'Firebase Authentication',
  file: 'users.json of "firebase auth:export users.json"',
  insteadOfCsv:
    'The CSV of Firebase has no identities and no names of columns. Export JSON: firebase auth:export users.json --format=json.',
  fields: {
    externalId: ['localId', 'uid'],
    email: 'email',
    emailVerified: 'emailVerified',
    phone: 'phoneNumber',
    // Its phone provider keeps only numbers that a code has proven.
    phoneVerified: (row) => (asText(valueAt(row, 'phoneNumber')) === null ? null : true),
    metadata: (row) => {
      const [displayName, photoUrl] = [asText(valueAt(row, 'displayName')), asText(valueAt(row, 'photoUrl'))];
      return { ...(displayName !== null && { displayName }), ...(photoUrl !== null && { photoUrl }) };
    },
    roles: (row) => {
      const claims = asObject(valueAt(row, 'customAttributes'));
      return claims && (valueAt(claims, 'roles') ?? valueAt(claims, 'role'));
    },
    createdAt: 'createdAt',
    lastSignInAt: ['lastSignedInAt', 'lastLoginAt'],
    blocked: 'disabled',
    passwordHash: (row) => {
      const [hash, salt] = [plainBase64(valueAt(row, 'passwordHash')), plainBase64(valueAt(row, 'salt'))];
      return hash === null || salt === null ? null : { format: 'firebase-scrypt', hash, salt };
    },
    identities: (row, context) => {
      if (asObjects(valueAt(row, 'mfaInfo')).length > 0)
        context.omit('second factors, which Firebase does not export with their secrets');
      return asObjects(valueAt(row, 'providerUserInfo'))
        .filter((each) => !['password', 'phone'].includes(String(valueAt(each, 'providerId'))))
        .map((each) => identity(valueAt(each, 'providerId'), valueAt(each, 'rawId'), context))
        .filter(isIdentity);
    },
  },
  notCarried: [
    'Second factors: the export does not contain their secrets.',
    'Custom claims other than `role` and `roles`.',
    'Password hashes, without the hash configuration of the project: configure firebaseHasher and pass --config, or pass --firebase-config.',
  ],
};
