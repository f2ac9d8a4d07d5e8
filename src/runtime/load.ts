/**
 * Heavy packages, loaded when they are first needed and not when `svc-auth` is imported: together they would cost
 * several times as much as the rest of the package. Synchronous, because constructing a service is.
 */
import type * as bcrypt from 'bcrypt';
import type cookieParser from 'cookie-parser';
import type express from 'express';
import type { RequestHandler } from 'express';
import type * as ipaddr from 'ipaddr.js';
import type * as jsonwebtoken from 'jsonwebtoken';
import type * as phoneNumbers from 'libphonenumber-js/max';
import type * as otpauth from 'otpauth';
import type * as webauthn from '@simplewebauthn/server';
import type { isoCBOR } from '@simplewebauthn/server/helpers';
import type { z } from 'zod';
import { InternalError } from '../errors/catalog.js';
import { packages } from './packages.cjs';

export type Zod = typeof z;

/** Makes a value when it is first asked for, and once. */
// `require` finds a loaded module again only after resolving its path: too slow for once per request.
export function lazily<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load());
}

/** @throws InternalError that names the package: what fails for want of it must not pass for a wrong token or a wrong code. */
function packageOf<T>(name: keyof typeof packages): T {
  try {
    return packages[name]() as T;
  } catch (cause) {
    throw missingPackage(name, cause);
  }
}

export function missingPackage(name: string, cause: unknown): InternalError {
  const message = `svc-auth could not load the package "${name}". Install it; if you bundle, keep it external.`;
  return new InternalError(cause, message);
}

export const loadZod = lazily(() => packageOf<{ z: Zod }>('zod').z);
export const loadJsonWebToken = lazily(() => packageOf<typeof jsonwebtoken>('jsonwebtoken'));
export const loadCookieParser: () => RequestHandler = lazily(() =>
  packageOf<typeof cookieParser>('cookie-parser')(),
);
export const loadBcrypt = lazily(() => packageOf<typeof bcrypt>('bcrypt'));
export const loadIpAddress = lazily(() => packageOf<typeof ipaddr>('ipaddr.js'));
export const loadOtpAuth = lazily(() => packageOf<typeof otpauth>('otpauth'));
export const loadPhoneNumbers = lazily(() => packageOf<typeof phoneNumbers>('libphonenumber-js'));
export const loadCbor = lazily(
  () => packageOf<{ isoCBOR: typeof isoCBOR }>('@simplewebauthn/server/helpers').isoCBOR,
);
export const loadWebAuthn = lazily(() => packageOf<typeof webauthn>('@simplewebauthn/server'));
export const loadExpress = lazily(() => packageOf<typeof express>('express'));
