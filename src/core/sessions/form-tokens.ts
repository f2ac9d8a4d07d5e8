/**
 * Tokens for the forms of server-rendered pages, against cross-site request forgery (docs/decisions/csrf.md). A token belongs to one
 * session, is never stored, and stays valid when the session is renewed. Before a sign-in it belongs to a random value in a cookie.
 */
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import type { LiveSession } from './session-checks.js';

type FormSession = Pick<LiveSession, 'claims'>;

export class FormTokens {
  constructor(private readonly keys: Keyring) {}

  /** Returns the token for the forms of a page that this session shows. */
  issueToken({ claims }: FormSession): string {
    return tokenOf(this.keys.subkeys('form')[0], claims);
  }

  /** Returns whether a form was shown to this session. */
  isValid({ claims }: FormSession, token: string): boolean {
    return this.keys.subkeys('form').some((key) => constantTimeEqual(tokenOf(key, claims), token));
  }

  /**
   * Returns the token for a form about `subject` that is shown to a browser without a session.
   * @param visitor the random value in a cookie of the browser.
   */
  issueVisitorToken(visitor: string, subject: string): string {
    return visitorTokenOf(this.keys.subkeys('form')[0], visitor, subject);
  }

  /** Returns whether a form about `subject` was shown to this browser. */
  isValidForVisitor(visitor: string, subject: string, token: string): boolean {
    return this.keys
      .subkeys('form')
      .some((key) => constantTimeEqual(visitorTokenOf(key, visitor, subject), token));
  }

  /**
   * Returns the proof that a page has put a value into a cookie for a user, as in `pages/pending.ts`.
   * @param kind what the value is: a proof of one kind is none of another.
   */
  issueProof(userId: string, kind: string, value: string): string {
    return proofOf(this.keys.subkeys('form')[0], userId, kind, value);
  }

  isProof(userId: string, kind: string, value: string, proof: string): boolean {
    return this.keys
      .subkeys('form')
      .some((key) => constantTimeEqual(proofOf(key, userId, kind, value), proof));
  }
}

/** Has more parts than the tokens, so it is never one of them. */
function proofOf(key: Parameters<typeof mac>[0], userId: string, kind: string, value: string): string {
  return mac(key, 'value', userId, kind, value).toString('base64url');
}

/** The first part cannot be the user of a session, so a token of one kind is never one of the other. */
function visitorTokenOf(key: Parameters<typeof mac>[0], visitor: string, subject: string): string {
  return mac(key, 'visitor', visitor, subject).toString('base64url');
}

/** A token without a session row is identified by its time of issue. */
function tokenOf(key: Parameters<typeof mac>[0], { act, fid, iat, sid, sub }: FormSession['claims']): string {
  return mac(key, sub, sid ?? fid ?? String(iat), act?.sub ?? '').toString('base64url');
}
