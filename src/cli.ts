#!/usr/bin/env node
/** `npx svc-auth`: the vendor's two commands, to make a key pair and to issue licences. */
import { createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateLicenseKeys, openLicense, signLicense } from './crypto/license-token.js';

const help = `Usage:
  svc-auth license keygen [--out <folder>]
      Writes license-private.pem (keep it secret) and license-public.pem (the licensePublicKey option).
  svc-auth license issue --private-key <file> --holder <name> [--expires <date> | --days <number>]
      Prints a licence key (the licenseKey option). Lasts 365 days unless told otherwise.
  svc-auth --help`;

try {
  run(process.argv.slice(2));
} catch (error) {
  console.error(`svc-auth: ${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  process.exitCode = 1;
}

function run(args: string[]): void {
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
  if (values.help || command === '') return console.log(help);
  if (command === 'license keygen') return keygen(values.out);
  if (command === 'license issue') {
    const { holder, expires, days } = values;
    return issue({ privateKeyFile: values['private-key'], holder, expires, days });
  }
  throw new Error(`There is no command "${command}".`);
}

function keygen(folder: string): void {
  const { privateKey, publicKey } = generateLicenseKeys();
  const privateFile = join(folder, 'license-private.pem');
  const publicFile = join(folder, 'license-public.pem');
  // Both before either: a private key beside the public key of another pair would issue licences that nobody accepts.
  for (const file of [privateFile, publicFile]) {
    if (existsSync(file)) throw new Error(`${file} is there already and is not overwritten.`);
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
    throw new Error('The licence must expire in the future, at a date such as 2030-12-31.');
  const license = {
    product: 'svc-auth',
    tier: 'pro',
    holder,
    issuedAt: now.toISOString(),
    expiresAt: expiresAt.toISOString(),
  } as const;
  const privateKey = readFileSync(privateKeyFile, 'utf8');
  const licenseKey = signLicense(license, privateKey);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  if (!openLicense(licenseKey, publicKey)) {
    throw new Error('No service would accept this licence. The name of the holder is too long.');
  }
  console.log(licenseKey);
}

/** Invalid for a day that is not in the calendar: Date would make 2030-02-31 the third of March. */
function parseDate(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? '';
  const start = new Date(`${day}T00:00:00Z`);
  const isInCalendar = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  return new Date(isInCalendar ? text : Number.NaN);
}
