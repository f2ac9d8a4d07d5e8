/**
 * Recognizes the browser that asked for a link (docs/decisions/link-confirmation.md). The browser keeps a MAC of the link's digest, which
 * no one else learns: the mail contains only the link, and the response to the browser contains only the MAC. Nothing is stored.
 */
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';

export class LinkBrowsers {
  constructor(private readonly keys: Keyring) {}

  /** Returns the token of the browser that asked for this link. It is valid as long as the link. */
  issueToken(digest: string): string {
    return tokenOf(this.keys.subkeys('link_browser')[0], digest);
  }

  /** Returns whether one of the tokens of a browser belongs to this link. */
  isKnown(digest: string, tokens: readonly string[]): boolean {
    return this.keys.subkeys('link_browser').some((key) => {
      const expected = tokenOf(key, digest);
      return tokens.some((token) => constantTimeEqual(token, expected));
    });
  }
}

function tokenOf(key: Parameters<typeof mac>[0], digest: string): string {
  return mac(key, digest).toString('base64url');
}
