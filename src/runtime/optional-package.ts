/** Apart from load.ts, so that the declarations of the package need no types of optional packages. */

/** The optional peer dependencies that one provider or option needs. */
export type OptionalPackage =
  | '@node-rs/argon2'
  | '@opentelemetry/api'
  | '@simplewebauthn/server'
  | 'altcha-lib'
  | 'disposable-email-domains-js'
  | 'libphonenumber-js'
  | 'otpauth';
