/**
 * `svc-auth/client`: the routes as typed methods, for browsers and Node.js. Shares no code with the
 * server.
 */
export { createClient, type AuthClient } from './client/create-client.js';
export { AuthClientError, type AuthClientErrorCode, type Challenge } from './client/error.js';
export { solveProofOfWork } from './client/proof-of-work.js';
export type { AuthClientOptions, ClientSignal, Fetch, RequestHeaders } from './client/transport.js';
export type { BearerOptions, TokenStorage } from './client/bearer.js';
export type { KeyStorage, ProofKeyPair, ProofOptions } from './client/key-proofs.js';
export {
  passwordEstimator,
  type EstimatePassword,
  type PasswordEstimate,
} from './client/password-strength.js';
export type {
  PasskeyRegistrationOptions,
  PasskeySignInOptions,
  PasskeySignUpInput,
  PasskeySupport,
} from './client/passkeys.js';
export type * from './client/responses.js';
export type {
  AuditFilterInput,
  LockdownInput,
  UserChangesInput,
  UserListInput,
} from './client/admin-methods.js';
export type {
  ApiKeyInput,
  ChallengeSolution,
  RememberInput,
  ResetInput,
  SignUpInput,
} from './client/inputs.js';
export type { TrustInput } from './client/second-factor-methods.js';
export type { PageInput } from './client/query.js';
export type { PublicApiKey } from './domain/api-key.js';
export type { ConnectedApp, ConnectedAppScope } from './domain/connected-app.js';
export type { PublicCredential } from './domain/credential.js';
export type { ServiceIdentity } from './domain/identity.js';
export type { Org, OrgInvite, OrgMembership, OrgRole } from './domain/org.js';
export type { PublicRefreshFamily, TokenPair } from './domain/refresh-family.js';
export type { DeviceInfo, DeviceSession, ServiceSession } from './domain/session.js';
export type { DeviceKind, SignedInDevice } from './domain/signed-in-device.js';
export type { PreferableMethod, SecondFactorMethod } from './domain/second-factor.js';
export type { TrustedBrowser } from './domain/trusted-browser.js';
export type { UserDataExport } from './domain/user-data-export.js';
export type { UserBlock } from './domain/user-block.js';
export type {
  NewUserInput,
  UserBlockInput,
  UserFilterInput,
  UserInviteInput,
  UserUpdateInput,
} from './domain/user-inputs.js';
export type { UserRecord } from './domain/user-record.js';
export type { ServiceUser } from './domain/user.js';
export type { ServiceErrorCode } from './errors/service-error.js';
