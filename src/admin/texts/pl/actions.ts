/** Polish: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'To Twoje własne konto.',
  email: 'Adres e-mail',
  verified: 'Adres jest zweryfikowany',
  verifiedHint: 'Tylko jeśli wiesz, że ten użytkownik czyta wiadomości wysyłane na ten adres.',
  username: 'Nazwa użytkownika',
  emptyHint: 'Pozostaw puste, jeśli ma nie być żadnej wartości.',
  roles: 'Role',
  rolesHint: (example) => `Rozdzielone spacjami lub przecinkami, na przykład: ${example}.`,
  rolesEmptyHint: (example) =>
    `Rozdzielone spacjami lub przecinkami, na przykład: ${example}. Pozostaw puste, jeśli ma nie być żadnej.`,
  metadata: 'Metadane',
  metadataJson: 'Metadane (JSON)',
  metadataHint: 'Obiekt JSON o\u00a0rozmiarze najwyżej 8 KB.',
  reasonLabel: 'Powód',
  signOut: {
    title: 'Wyloguj wszędzie',
    lead: (name) => [
      'Kończy wszystkie sesje i\u00a0unieważnia wszystkie tokeny użytkownika ',
      name,
      '. Klucze API pozostają ważne.',
    ],
    own: 'To Twoje własne konto. Trzeba będzie zalogować się ponownie.',
  },
  impersonate: {
    title: 'Działaj jako użytkownik',
    lead: (name) => [
      'Działasz w\u00a0aplikacji jako ',
      name,
      ' przez najwyżej 15 minut. Aby to zakończyć, użyj przycisku u\u00a0góry każdej strony konta lub ponownie otwórz strony administracyjne.',
    ],
    reasonHint: 'Zapisywany razem z\u00a0tym dostępem, na przykład numer zgłoszenia do pomocy technicznej.',
  },
  delete: {
    title: 'Usuń użytkownika',
    lead: (name) => [
      'Usuwa użytkownika ',
      name,
      ' ze wszystkimi sesjami, metodami logowania, kluczami API i\u00a0członkostwami oraz danymi, które Twoja aplikacja o\u00a0nim przechowuje. Tej operacji nie można cofnąć.',
    ],
    confirm: (phrase) => `Aby potwierdzić, wpisz ${phrase}`,
  },
  block: {
    title: 'Zablokuj użytkownika',
    lead: (name) => [
      'Użytkownik ',
      name,
      ' zostanie wszędzie wylogowany i\u00a0nie będzie mógł się zalogować w\u00a0czasie blokady. Jego klucze API przestaną działać.',
    ],
    own: 'To Twoje własne konto. Zostaniesz wylogowany i\u00a0nie będziesz w\u00a0stanie sam się odblokować.',
    reasonHint: 'Dla administratorów. Użytkownik nigdy go nie widzi.',
    duration: 'Czas trwania',
    forever: 'Do odblokowania użytkownika',
    hour: '1 godzina',
    day: '1 dzień',
    week: '7 dni',
    month: '30 dni',
    date: 'Do daty',
    until: (zone) => ['Koniec blokady (', zone, ')'],
  },
  unblock: {
    title: 'Odblokuj użytkownika',
    lead: (name) => [
      'Użytkownik ',
      name,
      ' znów będzie mógł się zalogować, a\u00a0jego klucze API znów będą działać. Sesje zakończone przez blokadę pozostają zakończone.',
    ],
  },
  editMetadata: {
    title: 'Edytuj metadane',
    lead: (name) => ['To, co aplikacja przechowuje o\u00a0użytkowniku ', name, '.'],
    hint: 'Obiekt JSON o\u00a0rozmiarze najwyżej 8 KB. Zastępuje wszystkie metadane.',
    current: 'Bieżące metadane',
    submit: 'Zapisz metadane',
  },
  name: {
    title: 'Zmień nazwę',
    titleWithPicture: 'Zmień nazwę i\u00a0zdjęcie',
    lead: (name) => ['To, co inni użytkownicy widzą o\u00a0użytkowniku ', name, '.'],
    name: 'Nazwa',
    picture: 'Link do obrazu',
    pictureHint: (sources) => `Musi zaczynać się od ${sources}. Pozostaw puste, jeśli ma nie być żadnego.`,
    submit: 'Zapisz',
  },
  invite: {
    title: 'Zaproś użytkownika',
    lead: 'Użytkownik otrzyma wiadomość z\u00a0linkiem, który działa raz, przez siedem dni. Otwarcie go weryfikuje adres.',
    submit: 'Wyślij zaproszenie',
  },
  create: {
    title: 'Utwórz użytkownika',
    lead: 'Tworzy konto od razu i\u00a0nie wysyła wiadomości. Aby użytkownik sam wybrał hasło, zaproś go.',
    password: 'Hasło',
  },
  address: {
    add: 'Dodaj adres e-mail',
    change: 'Zmień adres e-mail',
    lead: 'Nowy adres kończy wszystkie sesje użytkownika i\u00a0unieważnia to, co wysłano na poprzedni.',
    submit: 'Zapisz adres',
  },
  verify: {
    title: 'Zweryfikuj adres e-mail',
    lead: (address) => [
      'Oznacza ',
      address,
      ' jako zweryfikowany, bez wysyłania wiadomości. Zrób to tylko wtedy, gdy wiesz, że użytkownik czyta wiadomości wysyłane na ten adres.',
    ],
    submit: 'Zweryfikuj adres',
  },
  changeUsername: {
    add: 'Dodaj nazwę użytkownika',
    change: 'Zmień nazwę użytkownika',
    submit: 'Zapisz nazwę użytkownika',
  },
  changeRoles: {
    title: 'Zmień role',
    lead: (name) => ['Role użytkownika ', name, ' w\u00a0aplikacji.'],
    own: 'To Twoje własne konto. Bez swojej roli możesz utracić dostęp do tych stron.',
    submit: 'Zapisz role',
  },
  password: {
    replace: 'Zastąp hasło',
    set: 'Ustaw hasło',
    lead: (name) => [
      'Wylogowuje użytkownika ',
      name,
      ' wszędzie i\u00a0unieważnia oczekujące kody i\u00a0linki.',
    ],
    new: 'Nowe hasło',
  },
  removals: {
    gone: 'To już nie istnieje: zostało zakończone albo należy do innego użytkownika.',
    user: 'Użytkownik',
    session: {
      title: 'Wyloguj urządzenie',
      term: 'Sesja',
      effect: 'Urządzenie zostanie wylogowane przy następnym żądaniu.',
    },
    token: {
      title: 'Unieważnij token aplikacji',
      term: 'Aplikacja',
      effect: 'Aplikacja zostanie wylogowana przy następnym żądaniu.',
    },
    account: {
      title: 'Odłącz konto',
      term: 'Konto',
      effect: 'Użytkownik nie będzie już mógł się nim zalogować.',
    },
    passkey: {
      title: 'Usuń klucz dostępu',
      term: 'Klucz dostępu',
      effect: 'Użytkownik nie będzie już mógł się nim zalogować.',
    },
    app: {
      title: 'Usuń aplikację uwierzytelniającą',
      term: 'Drugi składnik',
      effect:
        'Użytkownik loguje się bez drugiego składnika i\u00a0zostanie wszędzie wylogowany. Kody odzyskiwania również zostaną usunięte.',
    },
    organization: {
      title: 'Usuń z\u00a0organizacji',
      term: 'Organizacja',
      effect: 'Użytkownik straci dostęp do organizacji. Można go zaprosić ponownie.',
    },
    key: {
      title: 'Unieważnij klucz API',
      term: 'Klucz API',
      effect: 'Programy używające tego klucza będą od razu odrzucane. Tej operacji nie można cofnąć.',
    },
  },
};
