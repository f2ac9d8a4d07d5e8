/** `svc-auth/testing`: what this package tests itself with, for the tests of its users. */
export { outbox, smsOutbox, type Outbox, type SmsOutbox } from './testing/outbox.js';
export {
  mockIdentityProvider,
  type MockAccount,
  type MockEndpoint,
  type MockFault,
  type MockIdentityProvider,
  type MockIdentityProviderOptions,
  type MockLies,
  type MockRequest,
} from './testing/mock-identity-provider.js';
export { testLicense, type TestLicense } from './testing/test-license.js';
export { testClock, type TestClock } from './testing/test-clock.js';
export {
  softwareAuthenticator,
  type AuthenticatorFlags,
  type AuthenticatorLie,
  type SoftwareAuthenticator,
  type SoftwareAuthenticatorOptions,
  type SoftwareCredential,
} from './testing/software-authenticator.js';
export {
  describeStorageAdapter,
  type ConformanceOptions,
  type ConformanceRunner,
} from './testing/storage-conformance.js';
