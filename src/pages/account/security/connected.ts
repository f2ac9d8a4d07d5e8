/** The connected accounts at identity providers. */
import { phoneProvider, type ServiceIdentity } from '../../../domain/identity.js';
import { html, type Html } from '../../../html/html.js';
import { keepTransaction } from '../../../http/transaction-cookie.js';
import { providerIcon } from '../../provider-icon.js';
import { buttonForm } from '../form.js';
import { labelOf } from '../offers.js';
import { at, done, pathOf, type AccountPage, type AccountVisit, type ShownVisit } from '../page.js';
import { linkButton, panel, row, when } from '../parts.js';
import { removal } from '../removal.js';
import { FieldError } from '../../../pages-kit/attempt.js';

export async function connectedPanel(visit: ShownVisit): Promise<Html | null> {
  const { context, me, offers, words } = visit;
  if (!offers.identities) return null;
  const { connected } = words;
  const all = await offers.identities.list(me.id, context);
  // Phone numbers have their own panel.
  const identities = all.filter(({ provider }) => provider !== phoneProvider);
  const own = identities.map((identity) =>
    row({
      icon: providerIcon(identity.provider, nameOfIdentity(visit, identity)),
      title: html`<bdi>${nameOfIdentity(visit, identity)}</bdi>`,
      detail: words.added(when(visit, identity.createdAt)),
      actions: linkButton(visit, {
        path: at(visit, pathOf('/security/connected/:id/disconnect', identity.id)),
        label: connected.disconnect,
        about: nameOfIdentity(visit, identity),
      }),
    }),
  );
  const others = offers.providers
    .filter(({ id }) => !identities.some(({ provider }) => provider === id))
    .map(({ id, label }) =>
      row({
        icon: providerIcon(id, label),
        title: label,
        detail: connected.notConnected,
        actions: buttonForm(visit, {
          action: at(visit, pathOf('/security/connect/:name', id)),
          label: html`${connected.connect}<span class="hidden">: ${label}</span>`,
          isPlain: true,
        }),
      }),
    );
  return panel({ id: 'connected', title: connected.title, lead: connected.lead, rows: [...own, ...others] });
}

/** The id at a provider means nothing to its user. */
function nameOfIdentity({ offers }: AccountVisit, { provider }: ServiceIdentity): string {
  return offers.providers.find(({ id }) => id === provider)?.label ?? labelOf(provider);
}

const connectPage: AccountPage = {
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
        const { base, me, offers, param, req, res, service, words } = visit;
        const provider = offers.providers.find(({ id }) => id === param('name'));
        if (!provider) throw new FieldError('', words.notFoundLead);
        const started = await provider.startLink(me.id);
        keepTransaction(service, req, res, provider, started);
        visit.keep({ next: base + at(visit, '/security') });
        const { connected } = words;
        return {
          title: connected.leaving(provider.label),
          leaveFor: started.url,
          frame: 'card',
          body: html`<h1>${connected.leaving(provider.label)}</h1>
            <p>
              <a class="button primary" href="${started.url}">${connected.connectTo(provider.label)}</a>
            </p>`,
        };
      },
    },
  },
};

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
    return identity && nameOfIdentity(visit, identity);
  },
  async remove(visit) {
    await visit.offers.identities!.unlink(visit.me.id, visit.param('id'), visit.context);
    return done(visit, '/security', 'disconnected');
  },
});

export const connectedPages: readonly AccountPage[] = [connectPage, disconnectPage];
