/** `svc-auth license`: creates license key pairs, issues licenses, and creates a license for local development. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateLicenseKeys, issueLicense, openLicense } from '../crypto/license-token.js';
import { messageOf, parseDate } from './arguments.js';

/** Runs a license command. Returns the exit code: 1 for every failure. */
export function runLicense(args: string[], help: string): number {
  try {
    run(args, help);
    return 0;
  } catch (error) {
    console.error(`svc-auth: ${messageOf(error)}\nRun svc-auth --help.`);
    return 1;
  }
}

function run(args: string[], help: string): void {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      out: { type: 'string', default: '.' },
      'private-key': { type: 'string' },
      holder: { type: 'string' },
      expires: { type: 'string' },
      days: { type: 'string' },
    },
  });
  const command = positionals.join(' ');
  if (values.help || command === '' || command === 'help') return console.log(help);
  if (command === 'license keygen') return keygen(values.out);
  if (command === 'license issue') {
    const { holder, expires, days } = values;
    return issue({ privateKeyFile: values['private-key'], holder, expires, days });
  }
  if (command === 'license dev') return dev();
  throw new Error(`Unknown command "${command}".`);
}

function keygen(folder: string): void {
  const { privateKey, publicKey } = generateLicenseKeys();
  const privateFile = join(folder, 'license-private.pem');
  const publicFile = join(folder, 'license-public.pem');
  // Check both files before writing either: a private key next to the public key of another pair
  // would issue licenses that no service accepts.
  for (const file of [privateFile, publicFile]) {
    if (existsSync(file)) throw new Error(`${file} already exists and will not be overwritten.`);
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    throw new Error(`Cannot create the folder ${folder}.`);
  }
  // `wx` too: an overwritten private key cannot be recovered.
  writeFileSync(privateFile, privateKey, { mode: 0o600, flag: 'wx' });
  chmodSync(privateFile, 0o600);
  writeFileSync(publicFile, publicKey, { flag: 'wx' });
  console.log(`Wrote ${privateFile} and ${publicFile}.`);
}

interface IssueOptions {
  privateKeyFile?: string;
  holder?: string;
  expires?: string;
  days?: string;
}

function issue({ privateKeyFile, holder, expires, days }: IssueOptions): void {
  if (!privateKeyFile || !holder) throw new Error('license issue requires --private-key and --holder.');
  if (expires !== undefined && days !== undefined) throw new Error('Use --expires or --days, not both.');
  const now = new Date();
  const lifetimeDays = Number(days ?? 365);
  const expiresAt =
    expires === undefined ? new Date(now.getTime() + lifetimeDays * 86_400_000) : parseDate(expires);
  // Not `<=`: every comparison with an invalid date is false.
  if (!(expiresAt > now))
    throw new Error('The expiry must be in the future, as a date such as 2030-12-31 or a number of days.');
  const privateKey = readKey(privateKeyFile);
  const licenseKey = issueLicense({ holder, issuedAt: now, expiresAt }, privateKey);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  if (!openLicense(licenseKey, publicKey)) {
    throw new Error('The holder name is too long for a license key.');
  }
  console.log(licenseKey);
}

/** Prints a license under a new key pair, so that no other service accepts it. */
function dev(): void {
  const { privateKey, publicKey } = generateLicenseKeys();
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + 30 * 86_400_000);
  const licenseKey = issueLicense({ holder: 'Local development', issuedAt, expiresAt }, privateKey);
  console.log(
    `# For local development only, until ${expiresAt.toISOString().slice(0, 10)}. Pass both to createService.`,
  );
  console.log(`LICENSE_KEY=${licenseKey}`);
  console.log(`LICENSE_PUBLIC_KEY=${JSON.stringify(publicKey)}`);
}

/** Reads a PEM file. @throws Error unless it contains an Ed25519 private key. */
function readKey(file: string): KeyObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`Cannot read the private key file ${file}.`);
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below is clearer than that of OpenSSL.
  }
  throw new Error(`${file} is not an Ed25519 private key. Create one with "svc-auth license keygen".`);
}
