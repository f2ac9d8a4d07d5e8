/**
 * Large packages, loaded when they are first needed and not when `svc-auth` is imported: together
 * they take several times as long to load as the rest of the package. Synchronous, because
 * constructing a service is synchronous. Only openid-client, which has no CommonJS form, is loaded by `import()`.
 */
import type * as bcrypt from 'bcrypt';
import type express from 'express';
import type * as ipaddr from 'ipaddr.js';
import type * as qrCodes from 'lean-qr';
import type * as jsonwebtoken from 'jsonwebtoken';
import type * as phoneNumbers from 'libphonenumber-js/max';
import type * as nodemailer from 'nodemailer';
import type MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type * as argon2 from '@node-rs/argon2';
import type * as otpauth from 'otpauth';
import type * as telemetry from '@opentelemetry/api';
import type * as altcha from 'altcha-lib';
import type { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type * as disposableDomains from 'disposable-email-domains-js';
import type * as webauthn from '@simplewebauthn/server';
import type { isoCBOR } from '@simplewebauthn/server/helpers';
import { InternalError } from '../errors/catalog.js';
import { importOpenIdClient } from './openid-client.cjs';
import type { OptionalPackage } from './optional-package.js';
import {
  installedVersion,
  isInstalled,
  loadPackage,
  readPackageFile,
  type PackageName,
} from './packages.cjs';

export { installedVersion, isInstalled, readPackageFile };

/** Returns a function that creates a value at its first call and returns the same value later. */
// `require` resolves the path even of a loaded module, which is too slow for every request.
export function lazily<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load());
}

const packageOf = <T>(name: PackageName) => loadOrExplain(name, () => loadPackage(name)) as T;

/**
 * @throws InternalError that names the package. A missing package must not look like a wrong token
 * or a wrong code.
 */
export function loadOrExplain(name: string, load: () => unknown): unknown {
  try {
    return load();
  } catch (cause) {
    throw missingPackage(name, cause);
  }
}

export function missingPackage(name: string, cause: unknown, note = ''): InternalError {
  const [installed = name] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
  const packages = installed === 'knex-pglite' ? '@electric-sql/pglite knex-pglite' : installed;
  const message = `svc-auth could not load the package "${name}": npm install ${packages}. If you bundle, keep it external.`;
  return new InternalError(cause, message + note);
}

/** Returns how to install the package, or undefined if it is installed. Does not load it. */
export function installationOf(name: OptionalPackage): string | undefined {
  return isInstalled(name) ? undefined : `needs the package ${name}: npm install ${name}`;
}

export const loadJsonWebToken = lazily(() => packageOf<typeof jsonwebtoken>('jsonwebtoken'));
export const loadBcrypt = lazily(() => packageOf<typeof bcrypt>('bcrypt'));
export const loadIpAddress = lazily(() => packageOf<typeof ipaddr>('ipaddr.js'));
export const loadArgon2 = lazily(() => packageOf<typeof argon2>('@node-rs/argon2'));
/** The list of common passwords as base64: `core/passwords/password-filter.ts`. */
export const loadCommonPasswords = lazily(() => packageOf<string>('./common-passwords.cjs'));
export const loadOtpAuth = lazily(() => packageOf<typeof otpauth>('otpauth'));
export const loadPhoneNumbers = lazily(() => packageOf<typeof phoneNumbers>('libphonenumber-js'));
export const loadCbor = lazily(
  () => packageOf<{ isoCBOR: typeof isoCBOR }>('@simplewebauthn/server/helpers').isoCBOR,
);
export const loadWebAuthn = lazily(() => packageOf<typeof webauthn>('@simplewebauthn/server'));
export const loadOpenTelemetry = lazily(() => packageOf<typeof telemetry>('@opentelemetry/api'));
export const loadAltcha = lazily(() => ({
  ...packageOf<typeof altcha>('altcha-lib'),
  ...packageOf<{ deriveKey: typeof deriveKey }>('altcha-lib/algorithms/pbkdf2'),
}));
/** Returns the domains of disposable addresses. */
export const loadDisposableDomains = lazily(() =>
  packageOf<typeof disposableDomains>('disposable-email-domains-js').disposableEmailBlocklist(),
);
/** Null without the package: the page of an authenticator app then shows its key only. */
export const loadQrCode = lazily(() =>
  isInstalled('lean-qr') ? packageOf<typeof qrCodes>('lean-qr').generate : null,
);
export const loadExpress = lazily(() => packageOf<typeof express>('express'));
/** Installed in an application that has gateways. */
export const loadNestWebSockets = () =>
  packageOf<{ WsException: new (error: object) => Error }>('@nestjs/websockets');
export const loadSqliteDriver = (name: 'better-sqlite3' | 'libsql') => packageOf<unknown>(name);
export const loadNodemailer = () => packageOf<typeof nodemailer>('nodemailer');
export const loadMailComposer = () => packageOf<typeof MailComposer>('nodemailer/lib/mail-composer');

/** An ES module alone. */
export const loadOpenIdClient = () =>
  importOpenIdClient().catch((cause: unknown) => {
    const note = ' It is an ES module: Jest loads it if you start it with `node --experimental-vm-modules`.';
    throw missingPackage('openid-client', cause, note);
  });
