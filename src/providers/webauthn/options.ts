/** The options of the passkey provider, and the inputs of its methods. */
import { isIP } from 'node:net';
import * as z from 'zod';
import { parseEmailAddress } from '../../domain/email-address.js';
import type { AuthenticationResponse, RegistrationResponse } from '../../domain/passkey-json.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { addressInUseTemplate, verificationTemplate } from '../../core/mail/email-templates.js';
import type { CodeTemplate, NoticeTemplate } from '../../core/mail/senders/email-sender.js';
import {
  challengeSolutionInput,
  fieldsInput,
  metadataInput,
  unchecked,
  userIdInput,
} from '../../core/support/input-types.js';
import { senderOption } from '../../core/mail/sender-option.js';
import {
  durationMs,
  fromOption,
  functionOption,
  orTrue,
  requiredString,
} from '../../core/support/option-types.js';
import { isSafeUrl } from '../../core/support/link-targets.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

const builtIn = 'the built-in mail';

const passkeySignUpOptions = lazily(() =>
  z
    .strictObject({
      address: z
        .enum(['verified', 'later', 'none'])
        .default('none')
        .describe(
          'The address of a new account. `verified`: proven with a mailed code before the passkey is created. `later`: the account has no address until its user enters the mailed code, with `account`. `none`: no address.',
        ),
      sender: senderOption().optional().describe('Delivers the codes. Required unless `address` is `none`.'),
      from: fromOption(),
      template: functionOption<CodeTemplate>()
        .default(() => verificationTemplate)
        .meta({
          description:
            'Renders the mail that verifies the address, from `{ code, expiresInMinutes, appName }`.',
          defaultText: builtIn,
        }),
      addressInUseTemplate: functionOption<NoticeTemplate>()
        .default(() => addressInUseTemplate)
        .meta({
          description:
            'Renders the mail to an address that already has an account, from `{ appName }`. It contains no code.',
          defaultText: builtIn,
        }),
    })
    .superRefine(({ address, sender }, context) => {
      if (address === 'none' || sender) return;
      context.addIssue({ code: 'custom', path: ['sender'], message: 'is required to mail codes' });
    }),
);

// The origin of an Android app is the digest of its signing certificate.
const androidOrigin = /^android:apk-key-hash:[\w-]{43}$/;

const pageOrigin = lazily(() =>
  requiredString().refine((origin) => androidOrigin.test(origin) || isPageOrigin(origin), {
    message:
      'must be an https origin such as https://acme.test (http only on localhost), or that of an Android app, android:apk-key-hash:…',
    // The rule about all origins reads their hosts.
    abort: true,
  }),
);

const relatedOrigin = lazily(() =>
  requiredString().refine(isPageOrigin, 'must be an https origin such as https://acme.example'),
);

function isPageOrigin(origin: string): boolean {
  return URL.canParse(origin) && isSafeUrl(new URL(origin)) && new URL(origin).origin === origin;
}

export const webauthnOptions = lazily(() =>
  z
    .strictObject({
      rpId: requiredString()
        .refine(isDomain, 'must be a domain such as acme.test, in lower case')
        .describe(
          'The domain that passkeys are bound to: the domain of your pages or a parent of it, without scheme and port.',
        ),
      origins: z
        .array(pageOrigin())
        .min(1)
        .describe(
          'The origins of your pages, such as `https://acme.test`. Exact, with the port; plain http only on localhost.',
        ),
      relatedOrigins: z
        .array(relatedOrigin())
        .default([])
        .describe(
          'Origins of your pages at other domains, such as `https://acme.example`, for browsers with related origin requests. `https://<rpId>/.well-known/webauthn` must list them: [well-known addresses](providers/webauthn.md#well-known-addresses).',
        ),
      rpName: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe("Your product's name, as the browser shows it. If absent, `appName`."),
      userVerification: z
        .enum(['required', 'preferred', 'discouraged'])
        .default('preferred')
        .describe('Whether the authenticator must verify its user (PIN, fingerprint).'),
      countsAsTwoFactors: z
        .boolean()
        .default(true)
        .describe(
          'Whether a sign-in with a passkey and user verification counts as two factors. If false, accounts with a second factor are asked for it after every passkey.',
        ),
      timeoutMs: durationMs()
        .default(60_000)
        .describe(
          'How long the browser waits for the user, in milliseconds. A challenge is valid for five minutes.',
        ),
      secondFactor: z
        .boolean()
        .default(false)
        .describe(
          'Whether a passkey can complete a sign-in with another method, in accounts with an authenticator app. User verification is not required then.',
        ),
      signUp: orTrue(passkeySignUpOptions())
        .optional()
        .describe(
          'Lets people create an account with a passkey alone. `true` needs no address. Off by default: [sign-up](providers/webauthn.md#sign-up-with-a-passkey).',
        ),
    })
    .superRefine(({ rpId, origins }, context) => {
      origins.forEach((origin, index) => {
        const host = new URL(origin).hostname;
        if (origin.startsWith('android:') || host === rpId || host.endsWith(`.${rpId}`)) return;
        const message = `must be at ${rpId} or below it: browsers refuse rpId elsewhere`;
        context.addIssue({ code: 'custom', path: ['origins', index], message });
      });
    })
    .meta({ title: 'Passkeys', description: 'Passkeys: [passkeys](providers/webauthn.md).' }),
);

// Browsers do not bind passkeys to IP addresses.
function isDomain(domain: string): boolean {
  return (
    isIP(domain) === 0 && URL.canParse(`https://${domain}`) && new URL(`https://${domain}`).host === domain
  );
}

export type WebAuthnOptions = z.output<ReturnType<typeof webauthnOptions>>;
export type PasskeyTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'background'
  | 'challenges'
  | 'clock'
  | 'codeMailer'
  | 'codes'
  | 'accountNotices'
  | 'events'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'mailboxProof'
  | 'mailer'
  | 'secondFactor'
  | 'signIn'
  | 'signInMethods'
  | 'signUpPolicy'
  | 'storage'
  | 'trustedBrowsers'
  | 'usernameOwners'
  | 'usernames'
>;
export type PasskeySignUpOptions = z.output<ReturnType<typeof passkeySignUpOptions>>;

export const registrationInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    response: unchecked<RegistrationResponse>(),
    expectedChallenge: unchecked<string>(),
    /** Default: the name of the authenticator's model. */
    name: z.string().optional(),
  }),
);

export const registrationStart = lazily(() =>
  z.object({
    /**
     * Whether the browser creates the passkey by itself after a sign-in with a password (`mediation: 'conditional'`). The user then need
     * not be present (WebAuthn Level 3, 7.1, step 15).
     */
    automatic: z.boolean().optional(),
  }),
);
export type RegistrationStart = z.output<ReturnType<typeof registrationStart>>;

export const authenticationInput = lazily(() =>
  z.object({
    // Any other value is the id of no user too: it fails as every invalid response does.
    userId: z.string().catch('unknown').optional(),
    response: unchecked<AuthenticationResponse>(),
    expectedChallenge: unchecked<string>(),
  }),
);

/** Null restores the name of the authenticator's model. */
export const renameInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    credentialId: z.string(),
    name: z.string().nullable(),
  }),
);

export const sendSignUpCodeInput = lazily(() =>
  z.object({ email: z.string(), challengeSolution: challengeSolutionInput() }),
);

export const startSignUpInput = lazily(() =>
  z.object({
    /** Required unless `signUp.address` is `none`. */
    email: z.string().optional(),
    /** The mailed code, if `signUp.address` is `verified`. */
    code: z.string().optional(),
    /** If the service has user names. */
    username: z.string().optional(),
    metadata: metadataInput(),
    fields: fieldsInput(),
    /** Unless the mailed code is required: its mail had the challenge. */
    challengeSolution: challengeSolutionInput(),
  }),
);

/** `token` is `pending.token` of the first step. */
export const startSecondFactorInput = lazily(() => z.object({ token: z.string() }));

export const finishSecondFactorInput = lazily(() =>
  startSecondFactorInput().extend({
    response: unchecked<AuthenticationResponse>(),
    expectedChallenge: unchecked<string>(),
  }),
);

export const finishSignUpInput = lazily(() => registrationInput().omit({ userId: true }));

/** @throws InvalidRequestError if an address is missing, malformed, or given although accounts have none. */
export function addressOf(
  email: string | undefined,
  address: PasskeySignUpOptions['address'],
): string | null {
  if (address !== 'none') return parseEmailAddress(email);
  if (email !== undefined) throw new InvalidRequestError('email must be absent: signUp.address is none.');
  return null;
}
