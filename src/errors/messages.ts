import type { ServiceErrorCode } from './service-error.js';

/** The constant text of each code: what HTTP answers with, whatever an error object says in addition. */
export const messages: Readonly<Record<ServiceErrorCode, string>> = {
  rate_limit_exceeded: 'Too many tries. Wait a while, then try again.',
  code_invalid: 'That code is not right. Check it and try again.',
  code_expired: 'That code or link has expired. Ask for a new one.',
  code_not_found: 'There is no active code for this address. Ask for a new one.',
  max_attempts_exceeded:
    'Too many wrong codes. If yours was sent to you, ask for a new one; if not, wait a while.',
  invalid_credentials: 'The email address or the password is not right.',
  token_invalid: 'This session or link is not valid. Sign in again, or ask for a new link.',
  api_key_invalid: 'The API key is not valid.',
  refresh_token_invalid: 'The refresh token is not valid. Sign in again.',
  not_authorized: 'You are not allowed to do this.',
  user_not_found: 'There is no such user.',
  email_exists: 'An account with this email address exists already. Sign in instead.',
  weak_password: 'This password is not accepted. Choose a different one.',
  org_error: 'This cannot be done in this organisation.',
  encryption_required: 'This feature needs the encryptionKey option.',
  provider_not_configured: 'This sign-in method is not configured.',
  license_required: 'This feature needs a licence.',
  adapter_capability: 'The storage adapter does not support this feature.',
  email_send_failed: 'The email could not be sent. Try again in a moment.',
  oauth_error: 'Sign-in with the identity provider did not succeed. Try again.',
  invalid_request: 'The request is not valid.',
  mfa_required: 'A second factor is needed to finish signing in.',
  reauth_required: 'Sign in again to do this: your last sign-in was too long ago.',
  session_changed: 'You are now signed in to a different account. Reload the page.',
  email_unverified: 'Verify your email address first.',
  sms_send_failed: 'The text message could not be sent. Try again in a moment.',
  config_invalid: 'The configuration is not valid:',
  internal_error: 'Something went wrong on our side. Try again in a moment.',
};
