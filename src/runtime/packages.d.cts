/** The types of the packages are in `load.ts`. */
export type PackageName =
  | './common-passwords.cjs'
  | '@nestjs/websockets'
  | '@node-rs/argon2'
  | '@opentelemetry/api'
  | '@simplewebauthn/server'
  | '@simplewebauthn/server/helpers'
  | 'altcha-lib'
  | 'altcha-lib/algorithms/pbkdf2'
  | 'bcrypt'
  | 'better-sqlite3'
  | 'disposable-email-domains-js'
  | 'express'
  | 'ipaddr.js'
  | 'jsonwebtoken'
  | 'lean-qr'
  | 'libphonenumber-js'
  | 'libsql'
  | 'nodemailer'
  | 'nodemailer/lib/mail-composer'
  | 'otpauth';

export declare function loadPackage(name: PackageName): unknown;
export declare function readPackageFile(file: string): string | null;
export declare function installedVersion(name: string): string | null;
export declare function isInstalled(name: PackageName): boolean;
