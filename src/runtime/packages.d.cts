/** `load.ts` gives each package its type. */
export declare const packages: Readonly<
  Record<
    | 'zod'
    | 'jsonwebtoken'
    | 'cookie-parser'
    | 'bcrypt'
    | 'ipaddr.js'
    | 'otpauth'
    | 'libphonenumber-js'
    | '@simplewebauthn/server'
    | '@simplewebauthn/server/helpers'
    | 'express',
    () => unknown
  >
>;
