/** The methods with which this very account can sign in again. */
import { phoneProvider } from '../../../domain/identity.js';
import { everyRow } from '../list.js';
import type { LinkedProvider } from '../offers.js';
import type { ShownVisit } from '../page.js';

export interface ConfirmMethods {
  hasPassword: boolean;
  /** How the mailbox is proven: with a code, else with a link. */
  byMail: 'code' | 'link' | null;
  phone: string | null;
  hasPasskey: boolean;
  providers: readonly LinkedProvider[];
}

/** Of a guest. */
export const noMethods: ConfirmMethods = {
  hasPassword: false,
  byMail: null,
  phone: null,
  hasPasskey: false,
  providers: [],
};

export async function confirmMethodsOf(visit: ShownVisit): Promise<ConfirmMethods> {
  const { context, features, me, offers, record, service } = visit;
  const identities = await service.users.listIdentities(me.id);
  const phone = identities.find(({ provider }) => provider === phoneProvider);
  const passkeys = await offers.webauthn?.listCredentials(me.id, everyRow, context);
  return {
    hasPassword: features.password !== null && record.hasPassword,
    byMail: record.email === null ? null : features.code ? 'code' : features.link ? 'link' : null,
    phone: offers.phone && phone ? phone.providerAccountId : null,
    hasPasskey: (passkeys?.credentials.length ?? 0) > 0,
    providers: offers.providers.filter(({ id }) => identities.some(({ provider }) => provider === id)),
  };
}
