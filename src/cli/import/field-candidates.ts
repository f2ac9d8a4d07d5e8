/** Which columns a field of a user can have: their usual names, and what is in them. */
import { formatOf } from './hash-formats.js';
import { asFlag, asText, asTime } from './values.js';

export type Test = (value: unknown) => boolean;

const isAddress: Test = (value) => /^[^\s@]+@[^\s@]+$/.test(asText(value) ?? '');
const isTime: Test = (value) => asTime(value) !== null;
const isFlag: Test = (value) => asFlag(value) !== null;
const isShort: Test = (value) => (asText(value) ?? '').length <= 255;
const isHash: Test = (value) => formatOf(value) !== null;

export interface Candidate {
  field: string;
  /** Plain names, the most likely first. */
  names: readonly string[];
  test: Test;
  /** Its values are so specific that a column of any name counts. */
  byValues?: true;
  negated?: readonly string[];
}

export const candidates: readonly Candidate[] = [
  { field: 'externalId', names: ['externalid', 'id', 'userid', 'uid', 'uuid', 'pk'], test: isShort },
  {
    field: 'email',
    names: ['email', 'emailaddress', 'mail', 'useremail', 'mailaddress', 'loginemail', 'primaryemail'],
    test: isAddress,
    byValues: true,
  },
  {
    field: 'emailVerified',
    names: [
      'emailverified',
      'emailverifiedat',
      'isemailverified',
      'emailconfirmed',
      'isemailconfirmed',
      'emailconfirmedat',
      'emailverifiedon',
      'emailconfirmedon',
      'emailverificationdate',
      'mailverified',
      'verifiedemail',
      'confirmedemail',
      'confirmedat',
      'confirmedon',
      'verifiedon',
      'confirmationdate',
      'verificationdate',
      'verifiedat',
      'isverified',
      'verified',
      'confirmed',
      'isconfirmed',
      'activatedat',
    ],
    test: isFlag,
  },
  {
    field: 'username',
    names: ['username', 'login', 'handle', 'nickname', 'loginname', 'screenname', 'userlogin'],
    test: isShort,
  },
  {
    field: 'passwordHash',
    names: [
      'passwordhash',
      'hashedpassword',
      'encryptedpassword',
      'passworddigest',
      'cryptedpassword',
      'password',
      'pwhash',
      'pwdhash',
      'passhash',
      'hash',
      'passwd',
      'pwd',
      'pass',
      'userpass',
    ],
    test: isHash,
    byValues: true,
  },
  { field: 'salt', names: ['salt', 'passwordsalt', 'hashsalt'], test: () => true },
  { field: 'iterations', names: ['iterations', 'rounds', 'hashiterations'], test: isNumberOfRounds },
  {
    field: 'createdAt',
    names: [
      'createdat',
      'created',
      'createdon',
      'datejoined',
      'registeredat',
      'signupdate',
      'joinedat',
      'userregistered',
      'datecreated',
    ],
    test: isTime,
  },
  {
    field: 'lastSignInAt',
    names: ['lastsigninat', 'lastloginat', 'lastlogin', 'lastsignin', 'lastlogindate', 'currentsigninat'],
    test: isTime,
  },
  {
    field: 'blocked',
    names: [
      'blocked',
      'isblocked',
      'banned',
      'isbanned',
      'disabled',
      'isdisabled',
      'suspended',
      'issuspended',
    ],
    test: isFlag,
    negated: ['isactive', 'active', 'enabled', 'isenabled'],
  },
  { field: 'roles', names: ['roles', 'role', 'userrole'], test: isShort },
  {
    field: 'language',
    names: ['language', 'locale', 'lang'],
    test: (value) => /^[a-z]{2}(?:[-_][A-Za-z]+)?$/.test(asText(value) ?? ''),
  },
  { field: 'metadata.name', names: ['name', 'fullname', 'displayname'], test: isShort },
  { field: 'metadata.firstName', names: ['firstname', 'givenname'], test: isShort },
  { field: 'metadata.lastName', names: ['lastname', 'surname', 'familyname'], test: isShort },
];

function isNumberOfRounds(value: unknown): boolean {
  return Number.isInteger(Number(asText(value)));
}
