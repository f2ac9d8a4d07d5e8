/** One round of a digest over password and salt: `{SSHA}` of LDAP, and columns of applications. Easy to guess once the table is stolen. */
import { createHash } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { fromBase64, isSalt } from './decode.js';
import { malformed, type ForeignCheck, type ForeignFormat } from './foreign-check.js';

export type SaltedDigest = 'sha1' | 'sha256' | 'sha512';

export interface DigestParts {
  digest: SaltedDigest;
  saltPosition: 'before' | 'after';
  salt: Buffer;
  key: Buffer;
}

const digestBytes: Record<SaltedDigest, number> = { sha1: 20, sha256: 32, sha512: 64 };

/** @throws ForeignHashError */
export function digestCheck({ digest, saltPosition, salt, key }: DigestParts): ForeignCheck {
  if (key.length !== digestBytes[digest] || !isSalt(salt) || salt.length === 0)
    throw malformed('a salted digest');
  return {
    scale: 'digest',
    work: 1,
    matches(plain) {
      const password = Buffer.from(plain);
      const parts = saltPosition === 'before' ? [salt, password] : [password, salt];
      return Promise.resolve(
        constantTimeEqual(createHash(digest).update(Buffer.concat(parts)).digest(), key),
      );
    },
    repeat: () => Promise.resolve(),
  };
}

/** The form in which parts are stored. */
export function encodeDigest({ digest, saltPosition, salt, key }: DigestParts): string {
  return `$salted-${digest}$${saltPosition}$${salt.toString('base64')}$${key.toString('base64')}`;
}

const parts: ForeignFormat = {
  name: 'salted-digest',
  read(hash) {
    const [, digest, saltPosition, saltText = '', keyText = ''] =
      /^\$salted-(sha1|sha256|sha512)\$(before|after)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
    if (digest === undefined) return null;
    const [salt, key] = [fromBase64(saltText), fromBase64(keyText)];
    if (!salt || !key) throw malformed('a salted digest');
    return digestCheck({
      digest: digest as SaltedDigest,
      saltPosition: saltPosition === 'before' ? 'before' : 'after',
      salt,
      key,
    });
  },
};

const ldapNames: Record<string, SaltedDigest> = { SSHA: 'sha1', SSHA256: 'sha256', SSHA512: 'sha512' };

const ldap: ForeignFormat = {
  name: 'ldap',
  read(hash) {
    const [, name = '', encoded = ''] = /^\{(SSHA(?:256|512)?)\}(.*)$/i.exec(hash) ?? [];
    const digest = ldapNames[name.toUpperCase()];
    if (!digest) return null;
    const bytes = fromBase64(encoded);
    if (!bytes) throw malformed('a hash of LDAP');
    const length = digestBytes[digest];
    return digestCheck({
      digest,
      saltPosition: 'after',
      salt: bytes.subarray(length),
      key: bytes.subarray(0, length),
    });
  },
};

export const digestFormats: readonly ForeignFormat[] = [parts, ldap];
