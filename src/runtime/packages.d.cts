/** The types of the packages are in `load.ts`. */
export declare const packages: Readonly<
  Record<
    | 'jsonwebtoken'
    | 'bcrypt'
    | 'ipaddr.js'
    | './common-passwords.cjs'
    | '@node-rs/argon2'
    | 'otpauth'
    | 'lean-qr'
    | 'libphonenumber-js'
    | 'altcha-lib'
    | 'altcha-lib/algorithms/pbkdf2'
    | 'disposable-email-domains-js'
    | '@simplewebauthn/server'
    | '@simplewebauthn/server/helpers'
    | 'express',
    () => unknown
  >
>;

export declare function readPackageFile(file: string): string | null;
export declare function installedVersion(name: string): string | null;
export declare function isInstalled(name: keyof typeof packages): boolean;
