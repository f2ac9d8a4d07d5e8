// Writes vectors.json: hashes by the packages whose users move in.
//
//   npm install --prefix tests/moving/vectors
//   python3 -m venv .data/vectors && .data/vectors/bin/pip install -r tests/moving/vectors/requirements.txt
//   node tests/moving/vectors/make.mjs .data/vectors/bin/python
//
// Python must be 3.12 or earlier, which has the module crypt. There is no package on npm for the third version of ASP.NET Identity, and none
// for Devise: the test constructs the former and published.json has it; the latter is bcrypt of the password and the pepper.
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import aspNet from 'aspnet-identity-pw';
import bcrypt from 'bcryptjs';
import { hashPassword } from 'better-auth/crypto';
import { FirebaseScrypt } from 'firebase-scrypt';
import { LegacyScrypt, Scrypt } from 'lucia';
import wordPress from 'wordpress-hash-node';

const here = (name) => new URL(name, import.meta.url);
const require = createRequire(import.meta.url);
const { dependencies } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const named = (name) => `${name} ${dependencies[name]}`;

const passwords = [
  'correct horse battery',
  // Not in its composed form, so that a normalization shows.
  'A\u030angstro\u0308m \u2603 \u{1F44D}',
  'x'.repeat(71) + 'é' + ' and more than bcrypt reads',
];

const firebase = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
};
const pepper = 'a pepper of Devise';

async function passportLocalMongoose(password) {
  // Without mongoose and a database: what its setPassword calls.
  const { pbkdf2 } = require('passport-local-mongoose/dist/lib/pbkdf2.js');
  const salt = '5b4f36c4a0ef9d1cb9b6a0c9d3b1f4ae0d4bd1b7d9b74cf37b2d5a9f4c2d7e11';
  const options = { iterations: 25_000, keylen: 512, digestAlgorithm: 'sha256' };
  const hash = Buffer.from(await pbkdf2(password, salt, options)).toString('hex');
  return { format: 'pbkdf2', digest: 'sha256', iterations: 25_000, salt, saltIsText: true, hash };
}

const vectors = [];
const add = (by, format, password, hash, key) =>
  vectors.push({ by, format, password, hash, ...(key && { key }) });

for (const password of passwords) {
  add(named('bcryptjs'), 'bcrypt', password, await bcrypt.hash(password, 5));
  add(named('better-auth'), 'better-auth', password, await hashPassword(password));
  add(named('lucia'), 'better-auth', password, await new Scrypt().hash(password));
  add(named('lucia'), 'lucia', password, await new LegacyScrypt().hash(password));
  // It takes one byte of each character, unlike WordPress itself. Passlib makes the others.
  if (/^[ -~]+$/.test(password))
    add(named('wordpress-hash-node'), 'phpass', password, wordPress.HashPassword(password));
  add(
    named('aspnet-identity-pw'),
    'aspnet-identity',
    password,
    await promisify(aspNet.hashPassword)(password),
  );
  add(named('passport-local-mongoose'), 'pbkdf2', password, await passportLocalMongoose(password));
  const salt = '42xEC+ixf3L2lw==';
  const scrypt = new FirebaseScrypt({ ...firebase });
  const hash = { format: 'firebase-scrypt', salt, hash: await scrypt.hash(password, salt) };
  add(named('firebase-scrypt'), 'firebase-scrypt', password, hash, { firebase });
  // As password_hash() of PHP does with what wp_hash_password() gives it.
  const input = createHmac('sha384', 'wp-sha384').update(password).digest('base64');
  const php = (await bcrypt.hash(input, 5)).replace('$2b$', '$2y$');
  add(`WordPress 6.8, by ${named('bcryptjs')}`, 'wordpress-bcrypt', password, `$wp${php}`);
  const devise = (await bcrypt.hash(password + pepper, 5)).replace('$2b$', '$2a$');
  add(`Devise, by ${named('bcryptjs')}`, 'bcrypt', password, devise, { devise: { pepper } });
}

const python = execFileSync(process.argv[2] ?? 'python3', [here('make.py').pathname], {
  input: JSON.stringify(passwords),
});
vectors.push(...JSON.parse(python));
writeFileSync(here('vectors.json'), `${JSON.stringify(vectors, null, 2)}\n`);
console.log(`${vectors.length} vectors`);
