#!/usr/bin/env node
/** `npx svc-auth`: the vendor's commands, which make a key pair and issue licenses, and a license for local development. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateLicenseKeys, issueLicense, openLicense } from './crypto/license-token.js';

const help = `Usage:
  svc-auth license keygen [--out <folder>]
      Writes license-private.pem (keep it secret) and license-public.pem (the licensePublicKey option).
  svc-auth license issue --private-key <file> --holder <name> [--expires <date> | --days <number>]
      Prints a license key (the licenseKey option). Lasts 365 days by default.
  svc-auth license dev
      Prints a license for local development as two environment variables. Lasts 30 days.
  svc-auth --help
  svc-auth --version`;

try {
  run(process.argv.slice(2));
} catch (error) {
  console.error(`svc-auth: ${messageOf(error)}\nRun svc-auth --help.`);
  process.exitCode = 1;
}

function run(args: string[]): void {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      out: { type: 'string', default: '.' },
      'private-key': { type: 'string' },
      holder: { type: 'string' },
      expires: { type: 'string' },
      days: { type: 'string' },
    },
  });
  const command = positionals.join(' ');
  if (values.version) return console.log(version());
  if (values.help || command === '' || command === 'help') return console.log(help);
  if (command === 'license keygen') return keygen(values.out);
  if (command === 'license issue') {
    const { holder, expires, days } = values;
    return issue({ privateKeyFile: values['private-key'], holder, expires, days });
  }
  if (command === 'license dev') return dev();
  throw new Error(`Unknown command "${command}".`);
}

/** What the parser of options says, in words for a person at a terminal. */
function messageOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const [, option = ''] = /'(-[^' ]*)/.exec(message ?? '') ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option ${option}.`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return `Option ${option} ${message?.includes('does not take') ? 'takes no' : 'needs a'} value.`;
  return message ?? String(error);
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function keygen(folder: string): void {
  const { privateKey, publicKey } = generateLicenseKeys();
  const privateFile = join(folder, 'license-private.pem');
  const publicFile = join(folder, 'license-public.pem');
  // Both before either: a private key beside the public key of another pair would issue licences that nobody accepts.
  for (const file of [privateFile, publicFile]) {
    if (existsSync(file)) throw new Error(`${file} is there already and is not overwritten.`);
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    throw new Error(`Cannot create the folder ${folder}.`);
  }
  // `wx` as well: a lost private key cannot be made again.
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
  if (!privateKeyFile || !holder) throw new Error('license issue needs --private-key and --holder.');
  if (expires !== undefined && days !== undefined) throw new Error('Give --expires or --days, not both.');
  const now = new Date();
  const lifetimeDays = Number(days ?? 365);
  const expiresAt =
    expires === undefined ? new Date(now.getTime() + lifetimeDays * 86_400_000) : parseDate(expires);
  // Not `<=`: an unreadable date compares to nothing.
  if (!(expiresAt > now))
    throw new Error('The license must expire in the future, at a date such as 2030-12-31.');
  const privateKey = readKey(privateKeyFile);
  const licenseKey = issueLicense({ holder, issuedAt: now, expiresAt }, privateKey);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  if (!openLicense(licenseKey, publicKey)) {
    throw new Error('The name of the holder is too long for a license key.');
  }
  console.log(licenseKey);
}

/** A key pair and a license under it, which no other service accepts. */
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

/** The PEM in a file. @throws Error unless it is an Ed25519 private key. */
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
    // What OpenSSL says of it helps nobody.
  }
  throw new Error(`${file} is not an Ed25519 private key as "svc-auth license keygen" writes it.`);
}

/** Invalid for a day that is not in the calendar: Date would make 2030-02-31 the third of March. */
function parseDate(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? '';
  const start = new Date(`${day}T00:00:00Z`);
  const isInCalendar = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  return new Date(isInCalendar ? text : Number.NaN);
}
