/** Invites to organizations admit their addresses although sign-up is closed (docs/sign-up.md). */
import { openToken } from '../../crypto/signed-token.js';
import type { Keyring } from '../../crypto/keys.js';
import { isPending, type PresentedInvite } from '../../domain/org-invite.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import type { Clock } from '../support/clock.js';

/** The address that signs up, and what shows that it was invited. */
export interface InvitedAddress {
  email: string | null;
  /** Whether the address is proven when the account is created. */
  emailVerified: boolean;
  /** The token of a mailed invite, if the client sent one. */
  inviteToken?: string | undefined;
}

export class InvitedSignUps {
  /** @param orgs null if organizations are not configured. */
  constructor(
    private readonly orgs: OrgRepository | null,
    private readonly allowUnverified: boolean,
    private readonly keys: Keyring,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns whether the address has an invite that it could accept. Without its token, only a proven address counts: otherwise anyone
   * could find out who was invited.
   */
  async admit({ email, emailVerified, inviteToken }: InvitedAddress): Promise<boolean> {
    if (!this.orgs || email === null) return false;
    const now = new Date(this.clock());
    const isValid = (invite: PresentedInvite) => isPending(invite, now, this.allowUnverified);
    if (inviteToken !== undefined) {
      const opened = openToken(this.keys, 'org_invite', inviteToken, now.getTime());
      if (opened.status !== 'valid' || opened.subject !== email) return false;
      const details = await this.orgs.findInvite(opened.digest);
      return details?.invite.email === email && isValid(details);
    }
    return emailVerified && (await this.orgs.findInvitesTo(email, now)).some(isValid);
  }
}
