/** Polish: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pl');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Wróć do użytkowników',
  toUser: 'Wróć do użytkownika',
  signIn: 'Zaloguj się',
  signInAgain: 'Zaloguj się ponownie',
  signOut: 'Wyloguj się',
  signedInAs: (who) => ['Zalogowano jako ', who, '.'],
  pages: {
    failed: {
      title: 'Coś poszło nie tak',
      text: 'Nie udało się wyświetlić strony. Spróbuj ponownie za chwilę.',
    },
    notFound: {
      title: 'Nie znaleziono strony',
      text: 'Pod tym adresem nie ma strony.',
    },
    formExpired: {
      title: 'Ten formularz wygasł',
      text: 'Po otwarciu tego formularza zalogowano się ponownie. Niczego nie zmieniono. Otwórz go jeszcze raz.',
    },
    noAccess: {
      title: 'Brak dostępu',
      text: 'Twoje konto nie ma do tego uprawnień.',
    },
    signIn: {
      title: 'Zaloguj się',
      text: 'Zaloguj się jako administrator i\u00a0otwórz tę stronę ponownie.',
    },
    confirm: {
      title: 'Potwierdź swoją tożsamość',
      text: 'Dla bezpieczeństwa zaloguj się ponownie, aby wprowadzić zmiany.',
    },
    userNotFound: {
      title: 'Nie znaleziono użytkownika',
      text: 'Nie ma użytkownika o\u00a0tym identyfikatorze. Być może został usunięty.',
    },
    invalid: {
      title: 'Nieprawidłowe żądanie',
      text: 'Adres tej strony lub jej formularz jest nieprawidłowy.',
    },
    notConfigured: {
      title: 'Niedostępne',
      text: 'Aplikacja nie jest do tego skonfigurowana.',
    },
    license: {
      title: 'Niedostępne',
      text: 'Ta funkcja wymaga licencji.',
    },
    storage: {
      title: 'Niedostępne',
      text: 'Adapter pamięci nie obsługuje tej funkcji.',
    },
  },
  emailExists: 'Inny użytkownik ma ten adres.',
  weakPassword: 'To hasło jest za krótkie, zbyt popularne lub zawiera adres. Wybierz inne.',
  email: 'Wpisz adres e-mail, na przykład ada@example.com.',
  emailMissing: 'Wpisz adres e-mail. Ta zmiana go wymaga.',
  name: 'Wpisz nazwę mającą najwyżej 100 znaków w\u00a0jednym wierszu.',
  nameAddress: 'Nazwa nie może zawierać adresu e-mail ani linku.',
  nameReserved: 'Ta nazwa jest zastrzeżona. Wybierz inną.',
  pictureSource: 'Obrazy z\u00a0tego adresu są niedozwolone.',
  usernameTaken: 'Inny użytkownik ma tę nazwę użytkownika.',
  usernameInvalid:
    'Użyj od 1 do 32 liter i\u00a0cyfr jednego alfabetu, rozdzielonych pojedynczymi kropkami, łącznikami lub podkreśleniami.',
  usernameReserved: 'Ta nazwa użytkownika jest zastrzeżona. Wybierz inną.',
  guest: 'Gość otrzymuje adres, gdy się zarejestruje.',
  outdated:
    'Użytkownik zmienił się od otwarcia tej strony. Porównaj swoją zmianę z\u00a0bieżącymi wartościami i\u00a0zapisz ponownie.',
  lastMethod: 'Bez tego użytkownik nie mógłby się już zalogować.',
  metadata:
    'Metadane muszą być obiektem JSON o\u00a0rozmiarze najwyżej 8 KB i\u00a08 poziomach, bez zastrzeżonych kluczy.',
  metadataObject: (example) => `Metadane muszą być obiektem JSON, na przykład ${example}.`,
  metadataSyntax: (line, column) => `To nie jest poprawny JSON. Sprawdź wiersz ${line}, kolumnę ${column}.`,
  roles:
    'Wpisz najwyżej 20 ról mających od 1 do 64 małych liter, cyfr lub znaków . _ : - z\u00a0literą lub cyfrą na obu końcach.',
  role: 'Wpisz rolę tak, jak jest nadawana użytkownikom, na przykład support.',
  filters: 'Te warunki są nieprawidłowe. Wyczyść filtry.',
  userId: 'Wpisz identyfikator użytkownika.',
  redirect:
    'Wpisz od jednego do dwudziestu adresów, każdy w\u00a0osobnym wierszu: wszystkie z\u00a0https albo wszystkie należące do aplikacji, z\u00a0jej własnym schematem lub z\u00a0http dla tego komputera.',
  uri: 'Wpisz adres, na przykład https://partner.example/.',
  secretUnused: 'Klient nie używa sekretu: zarejestruj klienta poufnego.',
  secretLimit: 'Klient ma dwa sekrety. Najpierw usuń jeden z\u00a0nich.',
  secretLast: 'To jedyny sekret klienta. Najpierw dodaj inny.',
  until: 'Wpisz czas w\u00a0przyszłości.',
  untilMissing: 'Wpisz datę i\u00a0godzinę.',
  untilUnused: 'Wybierz „Do daty” lub wyczyść koniec blokady.',
  duration: 'Wybierz czas trwania.',
  reason: 'Powód może mieć najwyżej 500 znaków.',
  passwordMissing: 'Wpisz hasło.',
  phrase: 'Wpisany tekst nie zgadza się z\u00a0wymaganym.',
  incomplete: 'Formularz jest niekompletny. Otwórz go ponownie.',
  lastOwner:
    'Ostatni właściciel nie może opuścić organizacji. Najpierw nadaj rolę właściciela innemu członkowi.',
  blocked: 'Ten użytkownik jest zablokowany.',
  notAllowed: 'Aplikacja nie pozwala na to w\u00a0przypadku tego użytkownika.',
  sendFailed: 'Nie udało się wysłać wiadomości e-mail. Spróbuj ponownie za chwilę.',
  notConfigured: 'Aplikacja nie jest do tego skonfigurowana.',
  invalid: 'Zmiana została odrzucona. Sprawdź formularz i\u00a0spróbuj ponownie.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Zbyt wiele prób. Spróbuj ponownie za minutę.',
      few: `Zbyt wiele prób. Spróbuj ponownie za ${inMinutes} minuty.`,
      many: `Zbyt wiele prób. Spróbuj ponownie za ${inMinutes} minut.`,
      other: `Zbyt wiele prób. Spróbuj ponownie za ${inMinutes} minuty.`,
    }),
};
