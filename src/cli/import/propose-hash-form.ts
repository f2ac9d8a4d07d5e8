/** Proposes the option --hash for hashes that do not name their format, by their length. */
import type { HashForm } from './source.js';
import { asText } from './values.js';

/** What is usual for a length. The names are those of the documents that applications have copied. */
interface Usual {
  form: HashForm;
  from: string;
}

/** The example of Passport's documentation: hash and salt are bytes. */
const passport = (encoding: string): Usual => ({
  form: { format: 'pbkdf2', digest: 'sha256', iterations: 310_000, encoding },
  from: 'the documentation of Passport (crypto.pbkdf2 with 310,000 rounds of SHA-256)',
});

const mongoose: Usual = {
  form: { format: 'pbkdf2', digest: 'sha256', iterations: 25_000, saltIsText: true },
  from: 'passport-local-mongoose (25,000 rounds of SHA-256); passport-local-sequelize has 12,000 of SHA-1',
};

const nodeScrypt = (layout?: string): Usual => ({
  form: {
    format: 'scrypt',
    n: 16_384,
    r: 8,
    p: 1,
    saltIsText: true,
    ...(layout !== undefined && { layout }),
  },
  from: 'crypto.scrypt with the default cost of Node.js and a salt of hexadecimal digits',
});

const oneColumn = /^([\w+/=-]{8,64})([.:])([\w+/=-]{32,})$/;
const reversed = /^([\w+/=-]{32,})([.:])([\w+/=-]{8,64})$/;
const isHex = (text: string) => /^(?:[0-9a-f]{2})+$/i.test(text);

/** @param hasSalt whether another column has the salt. Adds to `remarks` what the person should check. */
export function proposeHashForm(
  hashes: readonly unknown[],
  hasSalt: boolean,
  remarks: string[],
): HashForm | null {
  const [first] = hashes;
  const usual = first === undefined ? null : hasSalt ? withSalt(first) : inOneColumn(asText(first) ?? '');
  if (!usual) return null;
  remarks.push(
    `The hashes do not name their format. By their length, it is that of ${usual.from}: compare it with your code.`,
  );
  return usual.form;
}

function withSalt(hash: unknown): Usual | null {
  if (Buffer.isBuffer(hash)) return lengthOf(hash.length, 'hex');
  const text = asText(hash) ?? '';
  if (isHex(text)) return lengthOf(text.length / 2, 'hex');
  return /^[\w+/=-]+$/.test(text)
    ? lengthOf(Buffer.from(text, 'base64').length, text.match(/[_-]/) ? 'base64url' : 'base64')
    : null;
}

function lengthOf(bytes: number, encoding: string): Usual | null {
  if (bytes === 32) return passport(encoding);
  if (bytes === 512) return mongoose;
  return bytes === 64 ? nodeScrypt() : null;
}

function inOneColumn(text: string): Usual | null {
  // These are recognized without an option.
  if (/^[0-9a-f]{32}:[0-9a-f]{128}$/.test(text) || text.startsWith('s2:')) return null;
  const [, , separator, hash = ''] = oneColumn.exec(text) ?? [];
  const [, otherHash = '', otherSeparator] = reversed.exec(text) ?? [];
  const isFirst = (hash.length || 0) >= (text.length - 1) / 2;
  if (separator !== undefined && isFirst && isHex(hash)) return nodeScrypt(`salt${separator}hash`);
  return otherSeparator !== undefined && isHex(otherHash) ? nodeScrypt(`hash${otherSeparator}salt`) : null;
}
