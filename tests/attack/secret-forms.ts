/** One secret of each kind that the leak scan recognizes by its form alone. */

/** Secrets that no service issued, recognizable by their form. */
export const strangers: Record<string, string> = {
  'a bcrypt hash': `$2b$10$${'a'.repeat(53)}`,
  'a hash of the cheap hasher': `cheap$${'0'.repeat(64)}`,
  'a private key': '-----BEGIN PRIVATE KEY-----',
  'a JWT': `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(20)}.${'b'.repeat(43)}`,
  'an API key': `svc_${'0'.repeat(32)}_${'1'.repeat(64)}_01234567`,
  'a digest in hex': 'ab'.repeat(32),
  'a signed token': `${'a'.repeat(100)}.${'b'.repeat(43)}`,
  'a refresh token': `0190f6a0-0000-7000-8000-000000000001.3.${'c'.repeat(43)}`,
  'a sealed secret': `v1.12345678.${'d'.repeat(16)}.${'e'.repeat(43)}.${'f'.repeat(22)}`,
  'a TOTP secret': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  'the otpauth URL of a TOTP secret': 'otpauth://totp/Acme',
  'a recovery code': 'K7QXA-2RATE',
};
