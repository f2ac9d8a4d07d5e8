/** Polish: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pl');

export const clients: AdminTexts['clients'] = {
  register: 'Zarejestruj klienta',
  count: (n, shown) =>
    plural(n, {
      one: `${shown} klient`,
      few: `${shown} klientów`,
      many: `${shown} klientów`,
      other: `${shown} klienta`,
    }),
  client: 'Klient',
  kind: 'Rodzaj',
  returnsTo: 'Powrót do',
  created: 'Utworzono',
  createdAt: (time) => ['Utworzono ', time],
  none: 'Nie ma jeszcze klientów',
  noneLead:
    'Klienci to aplikacje, które proszą użytkowników o\u00a0dostęp. Pojawiają się tu, gdy ich zarejestrujesz lub gdy zarejestrują się sami.',
  notFound: 'Nie znaleziono klienta',
  notFoundLead: 'Mógł zostać usunięty lub wygasnąć.',
  kinds: {
    registered: 'Zarejestrowany',
    dynamic: 'Zarejestrował się sam',
    document: 'Własny adres',
  },
  proofs: {
    none: 'bez sekretu',
    secret: 'z\u00a0sekretem',
    key: 'z\u00a0własnym kluczem',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nazwa',
  nameHint: 'Użytkownicy widzą ją, gdy klient prosi o\u00a0dostęp.',
  id: 'Identyfikator klienta',
  redirects: 'Adresy przekierowania',
  redirectsHint: (example) => `Dokładne adresy, każdy w\u00a0osobnym wierszu, na przykład ${example}.`,
  page: 'Strona',
  expires: 'Wygasa',
  change: 'Zmień',
  remove: 'Usuń',
  secret: 'Sekret',
  secrets: 'Sekrety',
  newLead: 'Aplikacja, która może prosić użytkowników o\u00a0dostęp do ich kont.',
  confidential: 'Działa na serwerze i\u00a0przechowuje sekret',
  confidentialHint:
    'Sekret jest pokazywany raz. Aplikacje, wiersze poleceń i\u00a0strony nie przechowują żadnego.',
  edit: {
    title: 'Zmień klienta',
    lead: 'To, na co zezwolili użytkownicy, pozostaje w\u00a0mocy.',
    submit: 'Zapisz klienta',
  },
  shownSecret: {
    title: 'Sekret klienta',
    lead: 'Skopiuj sekret teraz. Nie zostanie pokazany ponownie.',
    done: 'Gotowe',
  },
  addSecret: {
    title: 'Dodaj sekret',
    lead: 'Oba sekrety są akceptowane, dopóki nie usuniesz jednego z\u00a0nich.',
  },
  removeSecret: {
    title: 'Usuń sekret',
    lead: 'Programy używające tego sekretu będą od razu odrzucane. Tej operacji nie można cofnąć.',
  },
  removal: {
    title: 'Usuń klienta',
    summary: 'Wszystko, na co zezwolili użytkownicy, traci ważność.',
    lead: 'Klient i\u00a0wszystko, na co zezwolili użytkownicy, od razu tracą ważność. Tej operacji nie można cofnąć.',
  },
};
