/**
 * Sign-ups whose address, number or account at a provider is proven, and that lack fields which the application requires: stored until
 * the fields arrive, and no account before (docs/decisions/sign-up-fields.md).
 */
import { anybody } from '../../domain/single-use-token.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { MailedTokens } from '../mail/mailed-tokens.js';
import type { SignUp } from './sign-up-options.js';

/** How long the user has for the fields. */
const ttlMs = 30 * 60_000;

/** A sign-up that is proven, and the choice of its browser. */
export interface UnfinishedSignUp {
  signUp: SignUp;
  /** False if the browser forgets the session when it closes. */
  remember?: boolean | undefined;
}

export class UnfinishedSignUps {
  constructor(private readonly tokens: MailedTokens) {}

  /** Returns the secret with which the client completes the sign-up. */
  async keep(unfinished: UnfinishedSignUp): Promise<{ token: string; expiresAt: Date }> {
    // As a string: the claims of a provider may contain characters that a database refuses.
    const metadata = { unfinished: JSON.stringify(unfinished) };
    const { token, expiresAt } = await this.tokens.issueToken('sign_up_fields', anybody, ttlMs, { metadata });
    return { token, expiresAt };
  }

  /** Returns the digest of a token, without a query. @throws TokenInvalidError if it is malformed, forged or expired. */
  open(token: string): string {
    const opened = this.tokens.openToken('sign_up_fields', token);
    if (opened.status !== 'valid') throw new TokenInvalidError(because('sign_up_ended'));
    return opened.digest;
  }

  /** Returns the sign-up of an opened token, which `take` must consume. @throws TokenInvalidError if it was used before. */
  async find(digest: string): Promise<UnfinishedSignUp> {
    const found = await this.tokens.findToken('sign_up_fields', digest);
    if (!found) throw new TokenInvalidError(because('sign_up_ended'));
    return JSON.parse(found.metadata['unfinished'] as string) as UnfinishedSignUp;
  }

  /** Consumes an opened token: of parallel calls, one resolves. @throws TokenInvalidError if it was used before. */
  async take(digest: string): Promise<void> {
    if (!(await this.tokens.consumeToken('sign_up_fields', digest)))
      throw new TokenInvalidError(because('sign_up_ended'));
  }
}
