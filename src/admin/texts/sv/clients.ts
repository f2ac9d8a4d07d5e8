/** Swedish: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('sv');

export const clients: AdminTexts['clients'] = {
  register: 'Registrera klient',
  count: (n, shown) => plural(n, { one: `${shown} klient`, other: `${shown} klienter` }),
  client: 'Klient',
  kind: 'Typ',
  returnsTo: 'Återvänder till',
  created: 'Skapad',
  createdAt: (time) => ['Skapades ', time],
  none: 'Inga klienter ännu',
  noneLead:
    'Klienter är program som ber användare om åtkomst. De visas här när du registrerar dem, eller när de registrerar sig själva.',
  notFound: 'Klienten hittades inte',
  notFoundLead: 'Den kan ha tagits bort eller gått ut.',
  kinds: {
    registered: 'Registrerad',
    dynamic: 'Registrerade sig själv',
    document: 'Egen adress',
  },
  proofs: {
    none: 'utan hemlighet',
    secret: 'med hemlighet',
    key: 'med egen nyckel',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Namn',
  nameHint: 'Användare läser det när klienten ber om åtkomst.',
  id: 'Klient-id',
  redirects: 'Omdirigeringsadresser',
  redirectsHint: (example) => `Exakta adresser, en per rad, till exempel ${example}.`,
  page: 'Sida',
  expires: 'Går ut',
  change: 'Ändra',
  remove: 'Ta bort',
  secret: 'Hemlighet',
  secrets: 'Hemligheter',
  newLead: 'Ett program som får be användare om åtkomst till deras konton.',
  confidential: 'Den körs på en server och förvarar en hemlighet',
  confidentialHint: 'Hemligheten visas en gång. Appar, kommandorader och webbsidor förvarar ingen.',
  edit: {
    title: 'Ändra klient',
    lead: 'Det som användare har tillåtit gäller fortfarande.',
    submit: 'Spara klient',
  },
  shownSecret: {
    title: 'Klienthemlighet',
    lead: 'Kopiera hemligheten nu. Den visas inte igen.',
    done: 'Klar',
  },
  addSecret: {
    title: 'Lägg till hemlighet',
    lead: 'Båda hemligheterna godtas tills du tar bort en av dem.',
  },
  removeSecret: {
    title: 'Ta bort hemlighet',
    lead: 'Program som använder hemligheten nekas direkt. Det går inte att ångra.',
  },
  removal: {
    title: 'Ta bort klient',
    summary: 'Allt som användare har tillåtit upphör.',
    lead: 'Klienten och allt som användare har tillåtit upphör direkt. Det går inte att ångra.',
  },
};
