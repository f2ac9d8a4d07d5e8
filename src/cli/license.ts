/** `svc-auth license`: prints the community license, creates the keys of a vendor, and issues licenses. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateLicenseKeys, issueLicense, openLicense } from '../crypto/license-token.js';
import { communityLicense } from '../engine/vendor-key.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { guarded, printHelp, type Surroundings } from './run.js';

const options: Options = {
  out: { value: '<folder>', help: 'keygen: the folder of the files. Default: the current one.' },
  'private-key': { value: '<file>', help: 'issue: the private key, in PEM format.' },
  holder: { value: '<name>', help: 'issue: the name of the customer.' },
  expires: { value: '<date>', help: 'issue: the expiry, such as 2030-12-31.' },
  days: { value: '<number>', help: 'issue: the lifetime in days. Default: 365.' },
};

const help = `Usage:
  svc-auth license community
      Prints the community license, which unlocks every feature, free of charge and without expiry.
  svc-auth license keygen [--out <folder>]
      For vendors. Writes license-private.pem (keep it secret), license-public.pem, and the community license
      that is signed with it, license-community.txt.
  svc-auth license issue --private-key <file> --holder <name> [--expires <date> | --days <number>]
      For vendors. Prints a license key.

Options:
${describeOptions(options)}`;

/** Runs `svc-auth license <args>`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runLicense(args: string[], surroundings: Surroundings): Promise<number> {
  const { output } = surroundings.terminal;
  return guarded('license', surroundings, async () => {
    const parsed = Arguments.parse(args, options);
    const command = parsed.positionals.join(' ');
    if (parsed.has('help') || command === 'help') return void printHelp(help, surroundings);
    if (command === 'community') output.write(`${communityLicense}\n`);
    else if (command === 'keygen') output.write(`Wrote ${keygen(parsed.text('out') ?? '.').join(', ')}.\n`);
    else if (command === 'issue') output.write(`${issue(parsed)}\n`);
    else throw new UsageError(command === '' ? 'Name a command.' : `Unknown command "license ${command}".`);
  });
}

/** Writes a key pair and the community license that belongs to it. Returns the files. */
function keygen(folder: string): string[] {
  const { privateKey, publicKey } = generateLicenseKeys();
  const terms = { holder: 'Community', issuedAt: new Date() };
  const files = {
    [join(folder, 'license-private.pem')]: privateKey,
    [join(folder, 'license-public.pem')]: publicKey,
    [join(folder, 'license-community.txt')]: `${issueLicense(terms, privateKey)}\n`,
  };
  // Check every file before writing any: a private key next to the public key of another pair
  // would issue licenses that no service accepts.
  for (const file of Object.keys(files)) {
    if (existsSync(file)) throw new Error(`${file} already exists and will not be overwritten.`);
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    throw new Error(`Cannot create the folder ${folder}.`);
  }
  for (const [file, text] of Object.entries(files)) {
    // `wx` too: an overwritten private key cannot be recovered.
    writeFileSync(file, text, { mode: text === privateKey ? 0o600 : 0o644, flag: 'wx' });
  }
  return Object.keys(files);
}

function issue(args: Arguments): string {
  const [privateKeyFile, holder, days] = [args.text('private-key'), args.text('holder'), args.text('days')];
  if (!privateKeyFile || !holder) throw new UsageError('license issue requires --private-key and --holder.');
  const expires = args.date('expires');
  if (expires !== undefined && days !== undefined) throw new UsageError('Use --expires or --days, not both.');
  const now = new Date();
  const expiresAt = expires ?? new Date(now.getTime() + Number(days ?? 365) * 86_400_000);
  // Not `<=`: every comparison with an invalid date is false.
  if (!(expiresAt > now))
    throw new UsageError(
      'The expiry must be in the future, as a date such as 2030-12-31 or a number of days.',
    );
  const privateKey = readKey(privateKeyFile);
  const licenseKey = issueLicense({ holder, issuedAt: now, expiresAt }, privateKey);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  if (!openLicense(licenseKey, publicKey))
    throw new UsageError('The holder name is too long for a license key.');
  return licenseKey;
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
