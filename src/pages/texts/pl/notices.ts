/** Polish: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Twoja sesja dobiegła końca. Zaloguj się, aby kontynuować.',
  signedOut: 'Wylogowano Cię.',
  signedInAgain: 'Zalogowano Cię ponownie. Nic jeszcze nie zapisano.',
  otherAccount: (name) => `Korzystasz teraz z konta ${name}. Nic nie zostało zmienione.`,
  otherAccountUnnamed: 'Korzystasz teraz z innego konta. Nic nie zostało zmienione.',
  linkExpired: 'Ten link wygasł. Poproś o nowy.',
  reclaimed: {
    title: 'Adres e-mail został potwierdzony',
    lead: 'To konto utworzono bez potwierdzenia Twojego adresu, być może zrobiła to inna osoba. Hasło i\u00a0inne sposoby logowania zostały usunięte.',
  },
  invitedOnly: 'Rejestracja tylko na zaproszenie',
  invitedOnlyLead: 'Aby utworzyć konto, otwórz link z zaproszenia.',
  blocked: 'Nie można się zalogować',
  support: 'Skontaktuj się z pomocą techniczną',
  home: (product) => `Wróć do: ${product}`,
  offline: 'Nie masz połączenia z internetem. Sprawdź je i spróbuj ponownie.',
  unreachable: 'Nie można połączyć się z serwerem. Spróbuj ponownie za chwilę.',
  slow: 'To trwa dłużej niż zwykle.',
  impersonating: (product, user) => [`Przeglądasz ${product} jako `, user, '.'],
  impersonatingUnnamed: (product) => `Przeglądasz ${product} jako inny użytkownik.`,
  stopImpersonating: 'Zakończ',
  confirmLink: (email) => ['Logujesz się jako ', email, '.'],
  confirmLinkIgnore: 'Jeśli ta prośba nie pochodzi od Ciebie, zamknij tę stronę.',
  confirmLinkOther: 'Zaloguj się w inny sposób',
};
