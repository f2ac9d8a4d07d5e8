/** The connected accounts at identity providers. */
import { phoneProvider } from '../../../domain/identity.js';
import { keepTransaction } from '../../../http/transaction-cookie.js';
import type { Entry } from '../../page.js';
import { at, defineAccountPage, done, pathOf, type AccountPage, type ShownVisit } from '../page.js';
import { removal } from '../removal.js';
import type { AccountSecurityView } from '../views.js';
import { FieldError } from '../../../pages-kit/attempt.js';

/** Null if they are not offered. */
export async function connectedOf(visit: ShownVisit): Promise<AccountSecurityView['connected']> {
  const { context, me, offers } = visit;
  if (!offers.identities) return null;
  const all = await offers.identities.list(me.id, context);
  // Phone numbers have their own panel.
  const identities = all.filter(({ provider }) => provider !== phoneProvider);
  return {
    accounts: identities.map((identity) => ({
      ...visit.lookOf(identity.provider),
      createdAt: identity.createdAt,
      disconnectPath: at(visit, pathOf('/security/connected/:id/disconnect', identity.id)),
    })),
    others: offers.providers
      .filter(({ id }) => !identities.some(({ provider }) => provider === id))
      .map(({ id, icon, label }) => ({
        label,
        icon,
        connectPath: at(visit, pathOf('/security/connect/:name', id)),
      })),
  };
}

type Outcome = 'connected' | 'connectCanceled' | 'connectFailed' | 'connectTaken';

function connectedPath(entry: Entry, provider: string, outcome: Outcome): string {
  return `${at(entry, '/security')}?done=${outcome}&provider=${encodeURIComponent(provider)}`;
}

/**
 * Returns where a user continues who is signed in, and whom a provider has sent back without a connection. Null if the browser has not started
 * one with that provider.
 */
export function afterRefusal(entry: Entry, query: URLSearchParams): string | null {
  const { base, flow } = entry;
  const provider = query.get('provider') ?? '';
  const reason = query.get('reason') ?? '';
  if (flow.next !== base + connectedPath(entry, provider, 'connected')) return null;
  const outcomes: Record<string, Outcome> = {
    access_denied: 'connectCanceled',
    identity_linked: 'connectTaken',
  };
  const outcome = Object.hasOwn(outcomes, reason) ? outcomes[reason]! : 'connectFailed';
  return base + connectedPath(entry, provider, outcome);
}

const connectPage = defineAccountPage({
  section: 'security',
  path: '/security/connect/:name',
  access: 'recent',
  isOffered: ({ identities }) => identities !== null,
  // After a new sign-in the button must be pressed again: opening an address must not leave the site.
  show: (visit) => done(visit, '/security'),
  forms: {
    '': {
      access: 'recent',
      async submit(_values, visit) {
        const { base, context, me, offers, param, req, res, service, templates, words } = visit;
        const provider = offers.providers.find(({ id }) => id === param('name'));
        if (!provider) throw new FieldError('', words.notFoundLead);
        const started = await provider.startLink(me.id, context);
        keepTransaction(service, req, res, provider, started);
        visit.keep({ next: base + connectedPath(visit, provider.id, 'connected') });
        return {
          title: words.connected.leaving(provider.label),
          leaveFor: started.url,
          frame: 'card',
          body: templates.accountLeaving(visit, { provider: provider.label, url: started.url }),
        };
      },
    },
  },
});

const disconnectPage = removal({
  section: 'security',
  path: '/security/connected/:id/disconnect',
  access: 'recent',
  isOffered: ({ identities }) => identities !== null,
  words: ({ words: { connected } }) => ({
    title: connected.disconnectTitle,
    lead: connected.disconnectLead,
    submit: connected.disconnect,
  }),
  parent: ({ words }) => ({ label: words.sections.security, path: '/security' }),
  async find(visit) {
    const { context, me, offers, param } = visit;
    const identities = await offers.identities!.list(me.id, context);
    const identity = identities.find(({ id, provider }) => id === param('id') && provider !== phoneProvider);
    // The id at a provider means nothing to its user.
    return identity && visit.lookOf(identity.provider).label;
  },
  async remove(visit) {
    await visit.offers.identities!.unlink(visit.me.id, visit.param('id'), visit.context);
    return done(visit, '/security', 'disconnected');
  },
});

export const connectedPages: readonly AccountPage[] = [connectPage, disconnectPage];
