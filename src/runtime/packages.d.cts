/** The types of the packages are in `load.ts`. */
export declare const packages: Readonly<
  Record<
    | 'jsonwebtoken'
    | 'cookie-parser'
    | 'bcrypt'
    | 'ipaddr.js'
    | 'otpauth'
    | 'lean-qr'
    | 'libphonenumber-js'
    | '@simplewebauthn/server'
    | '@simplewebauthn/server/helpers'
    | 'express',
    () => unknown
  >
>;

export declare function isInstalled(name: keyof typeof packages): boolean;
