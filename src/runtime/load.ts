/**
 * Heavy packages, loaded when they are first needed and not when `svc-auth` is imported: together they would cost
 * several times as much as the rest of the package. Synchronous, because constructing a service is.
 */
import { createRequire } from 'node:module';
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

const require = createRequire(import.meta.url);

export type Zod = typeof z;

/** Makes a value when it is first asked for, and once. */
// `require` finds a loaded module again only after resolving its path: too slow for once per request.
export function lazily<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load());
}

export const loadZod = lazily(() => (require('zod') as { z: Zod }).z);
export const loadJsonWebToken = lazily(() => require('jsonwebtoken') as typeof jsonwebtoken);
export const loadBcrypt = lazily(() => require('bcrypt') as typeof bcrypt);
export const loadIpAddress = lazily(() => require('ipaddr.js') as typeof ipaddr);
export const loadCookieParser: () => RequestHandler = lazily(() =>
  (require('cookie-parser') as typeof cookieParser)(),
);
export const loadOtpAuth = lazily(() => require('otpauth') as typeof otpauth);
export const loadPhoneNumbers = lazily(() => require('libphonenumber-js/max') as typeof phoneNumbers);
export const loadCbor = lazily(
  () => (require('@simplewebauthn/server/helpers') as { isoCBOR: typeof isoCBOR }).isoCBOR,
);
export const loadWebAuthn = lazily(() => require('@simplewebauthn/server') as typeof webauthn);
export const loadExpress = lazily(() => require('express') as typeof express);
