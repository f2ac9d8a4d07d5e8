/** `svc-auth/testing`: the tools with which this package is tested, for tests of applications. */
export { clear } from './clear.js';
export { outbox, smsOutbox, type Outbox, type SmsOutbox, type WaitOptions } from './outbox.js';
export {
  mockIdentityProvider,
  type MockAccount,
  type MockEndpoint,
  type MockFault,
  type MockIdentityProvider,
  type MockIdentityProviderOptions,
  type ResponseOverrides,
  type MockRequest,
} from './mock-identity-provider.js';
export { testLicense, type TestLicense } from './test-license.js';
export {
  loginAs,
  type LoginAsOptions,
  type NewTestUser,
  type TestSession,
  type TestUser,
} from './login-as.js';
export type { BrowserCookie } from './login-as/browser-cookie.js';
export { testClock, type TestClock } from './test-clock.js';
export {
  softwareAuthenticator,
  type AuthenticatorFlags,
  type TamperOptions,
  type SoftwareAuthenticator,
  type SoftwareAuthenticatorOptions,
  type SoftwareCredential,
} from './software-authenticator.js';
export {
  describeStorageAdapter,
  type ConformanceOptions,
  type ConformanceRunner,
} from './storage-conformance.js';
export type { EmailKind, EmailMessage } from '../src/core/mail/senders/email-sender.js';
export type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '../src/domain/passkey-json.js';
