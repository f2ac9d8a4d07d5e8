/** Dutch: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('nl');

export const clients: AdminTexts['clients'] = {
  register: 'Client registreren',
  count: (n, shown) => plural(n, { one: `${shown} client`, other: `${shown} clients` }),
  client: 'Client',
  kind: 'Soort',
  returnsTo: 'Gaat terug naar',
  created: 'Gemaakt',
  createdAt: (time) => ['Gemaakt op ', time],
  none: 'Nog geen clients',
  noneLead:
    'Clients zijn applicaties die gebruikers om toegang vragen. Ze verschijnen hier als je ze registreert of als ze zichzelf registreren.',
  notFound: 'Client niet gevonden',
  notFoundLead: 'Misschien is de client verwijderd of verlopen.',
  kinds: {
    registered: 'Geregistreerd',
    dynamic: 'Heeft zichzelf geregistreerd',
    document: 'Eigen adres',
  },
  proofs: {
    none: 'zonder secret',
    secret: 'met secret',
    key: 'met eigen sleutel',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Naam',
  nameHint: 'Gebruikers lezen dit als de client om toegang vraagt.',
  id: 'Client-ID',
  redirects: 'Omleidingsadressen',
  redirectsHint: (example) => `Exacte adressen, elk op een regel, bijvoorbeeld ${example}.`,
  page: 'Pagina',
  expires: 'Verloopt',
  change: 'Wijzigen',
  remove: 'Verwijderen',
  secret: 'Secret',
  secrets: 'Secrets',
  newLead: 'Een applicatie die gebruikers om toegang tot hun account mag vragen.',
  confidential: 'Draait op een server en bewaart een secret',
  confidentialHint: 'Het secret wordt één keer getoond. Apps, opdrachtregels en pagina’s bewaren er geen.',
  edit: {
    title: 'Client wijzigen',
    lead: 'Wat gebruikers hebben toegestaan, blijft gelden.',
    submit: 'Client opslaan',
  },
  shownSecret: {
    title: 'Client-secret',
    lead: 'Kopieer het secret nu. Het wordt niet nog een keer getoond.',
    done: 'Klaar',
  },
  addSecret: {
    title: 'Secret toevoegen',
    lead: 'Beide secrets worden geaccepteerd totdat je er een verwijdert.',
  },
  removeSecret: {
    title: 'Secret verwijderen',
    lead: 'Programma’s die dit secret gebruiken, worden meteen geweigerd. Dit kan niet ongedaan worden gemaakt.',
  },
  removal: {
    title: 'Client verwijderen',
    summary: 'Alles wat gebruikers hebben toegestaan, vervalt.',
    lead: 'De client en alles wat gebruikers hebben toegestaan, vervallen meteen. Dit kan niet ongedaan worden gemaakt.',
  },
};
