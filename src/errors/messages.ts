import type { ServiceErrorCode } from './service-error.js';

/**
 * The constant message of each code. HTTP responses send this text, even if the error object has a
 * more specific message.
 */
export const messages: Readonly<Record<ServiceErrorCode, string>> = {
  rate_limit_exceeded: 'Too many attempts. Try again later.',
  code_invalid: 'That code is incorrect. Check it and try again.',
  code_expired: 'That code or link has expired. Request a new one.',
  code_not_found: 'There is no active code for this address. Request a new one.',
  max_attempts_exceeded: 'Too many wrong codes. Request a new code.',
  invalid_credentials: 'The email address or password is incorrect.',
  token_invalid: 'This session or link is not valid. Sign in again or request a new link.',
  api_key_invalid: 'The API key is not valid.',
  refresh_token_invalid: 'The refresh token is not valid. Sign in again.',
  not_authorized: 'You are not allowed to do this.',
  user_not_found: 'User not found.',
  email_exists: 'An account with this email address already exists. Sign in instead.',
  weak_password: 'This password is not accepted. Choose a different one.',
  org_error: 'This is not possible in this organization.',
  encryption_required: 'This feature requires the encryptionKey option.',
  provider_not_configured: 'This sign-in method is not configured.',
  license_required: 'This feature requires a license.',
  adapter_capability: 'The storage adapter does not support this feature.',
  email_send_failed: 'The email could not be sent. Try again in a moment.',
  oauth_error: 'Sign-in with the identity provider failed. Try again.',
  invalid_request: 'The request is not valid.',
  mfa_required: 'A second factor is required to finish signing in.',
  reauth_required: 'Sign in again to continue. Your last sign-in was too long ago.',
  session_changed: 'You are now signed in to a different account. Reload the page.',
  email_unverified: 'Verify your email address first.',
  user_blocked: 'This account is blocked. Contact support.',
  sign_up_disabled: 'Sign-up is not available. If you already have an account, sign in.',
  challenge_required: 'Confirm that you are not a robot, then try again.',
  sms_send_failed: 'The text message could not be sent. Try again in a moment.',
  config_invalid: 'The configuration is not valid:',
  internal_error: 'Something went wrong on our side. Try again in a moment.',
};
