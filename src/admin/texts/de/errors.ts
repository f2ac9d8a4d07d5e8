/** German: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('de');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Zurück zu den Benutzern',
  toUser: 'Zurück zum Benutzer',
  signIn: 'Anmelden',
  signInAgain: 'Erneut anmelden',
  signOut: 'Abmelden',
  signedInAs: (who) => ['Sie sind als ', who, ' angemeldet.'],
  pages: {
    failed: {
      title: 'Es ist ein Fehler aufgetreten',
      text: 'Die Seite konnte nicht angezeigt werden. Versuchen Sie es gleich noch einmal.',
    },
    notFound: {
      title: 'Seite nicht gefunden',
      text: 'Unter dieser Adresse gibt es keine Seite.',
    },
    formExpired: {
      title: 'Dieses Formular ist abgelaufen',
      text: 'Sie haben sich neu angemeldet, seit dieses Formular geöffnet wurde. Es wurde nichts geändert. Öffnen Sie es erneut.',
    },
    noAccess: {
      title: 'Kein Zugriff',
      text: 'Ihr Konto hat dafür keine Berechtigung.',
    },
    signIn: {
      title: 'Anmelden',
      text: 'Melden Sie sich als Administrator an und öffnen Sie diese Seite erneut.',
    },
    confirm: {
      title: 'Bestätigen Sie Ihre Identität',
      text: 'Melden Sie sich zu Ihrer Sicherheit erneut an, um Änderungen vorzunehmen.',
    },
    userNotFound: {
      title: 'Benutzer nicht gefunden',
      text: 'Es gibt keinen Benutzer mit dieser ID. Vielleicht wurde er gelöscht.',
    },
    invalid: {
      title: 'Ungültige Anfrage',
      text: 'Die Adresse dieser Seite oder ihr Formular ist ungültig.',
    },
    notConfigured: {
      title: 'Nicht verfügbar',
      text: 'Die Anwendung ist dafür nicht konfiguriert.',
    },
    license: {
      title: 'Nicht verfügbar',
      text: 'Diese Funktion erfordert eine Lizenz.',
    },
    storage: {
      title: 'Nicht verfügbar',
      text: 'Der Speicheradapter unterstützt diese Funktion nicht.',
    },
  },
  emailExists: 'Ein anderer Benutzer hat diese Adresse.',
  weakPassword:
    'Dieses Passwort ist zu kurz, zu verbreitet oder enthält die Adresse. Wählen Sie ein anderes.',
  email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
  emailMissing: 'Geben Sie eine E-Mail-Adresse ein. Diese Änderung erfordert eine.',
  name: 'Geben Sie einen Namen mit höchstens 100 Zeichen in einer Zeile ein.',
  nameAddress: 'Ein Name darf weder eine E-Mail-Adresse noch einen Link enthalten.',
  nameReserved: 'Dieser Name ist reserviert. Wählen Sie einen anderen.',
  pictureSource: 'Bilder von dieser Adresse sind nicht erlaubt.',
  usernameTaken: 'Ein anderer Benutzer hat diesen Benutzernamen.',
  usernameInvalid:
    'Verwenden Sie 1 bis 32 Buchstaben und Ziffern einer Schrift, dazwischen einzelne Punkte, Bindestriche oder Unterstriche.',
  usernameReserved: 'Dieser Benutzername ist reserviert. Wählen Sie einen anderen.',
  guest: 'Ein Gast erhält eine Adresse, wenn er sich registriert.',
  outdated:
    'Der Benutzer wurde geändert, seit diese Seite geöffnet wurde. Vergleichen Sie Ihre Änderung mit den aktuellen Werten und speichern Sie dann erneut.',
  lastMethod: 'Der Benutzer könnte sich ohne diese Methode nicht mehr anmelden.',
  metadata:
    'Die Metadaten müssen ein JSON-Objekt mit höchstens 8 KB und 8 Ebenen sein, ohne reservierte Schlüssel.',
  metadataObject: (example) => `Die Metadaten müssen ein JSON-Objekt sein, zum Beispiel ${example}.`,
  metadataSyntax: (line, column) => `Das ist kein gültiges JSON. Prüfen Sie Zeile ${line}, Spalte ${column}.`,
  roles:
    'Geben Sie höchstens 20 Rollen mit 1 bis 64 Kleinbuchstaben, Ziffern oder . _ : - ein, mit einem Buchstaben oder einer Ziffer an beiden Enden.',
  role: 'Geben Sie eine Rolle so ein, wie Benutzer sie haben, zum Beispiel support.',
  filters: 'Diese Bedingungen sind ungültig. Setzen Sie die Filter zurück.',
  userId: 'Geben Sie die ID eines Benutzers ein.',
  redirect:
    'Geben Sie eine bis zwanzig Adressen ein, jede in einer eigenen Zeile: alle mit https, oder alle einer App, mit deren eigenem Schema oder mit http für diesen Computer.',
  uri: 'Geben Sie eine Adresse ein, zum Beispiel https://partner.example/.',
  secretUnused: 'Der Client verwendet kein Secret: Registrieren Sie einen vertraulichen.',
  secretLimit: 'Der Client hat zwei Secrets. Entfernen Sie zuerst eines davon.',
  secretLast: 'Das ist das einzige Secret des Clients. Fügen Sie zuerst ein anderes hinzu.',
  until: 'Geben Sie einen Zeitpunkt in der Zukunft ein.',
  untilMissing: 'Geben Sie Datum und Uhrzeit ein.',
  untilUnused: 'Wählen Sie „Bis zu einem Datum“, oder leeren Sie das Ende der Sperre.',
  duration: 'Wählen Sie eine Dauer.',
  reason: 'Der Grund darf höchstens 500 Zeichen lang sein.',
  passwordMissing: 'Geben Sie ein Passwort ein.',
  phrase: 'Der Text stimmt nicht überein.',
  incomplete: 'Das Formular ist unvollständig. Öffnen Sie es erneut.',
  lastOwner:
    'Der letzte Inhaber kann eine Organisation nicht verlassen. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  blocked: 'Dieser Benutzer ist gesperrt.',
  notAllowed: 'Die Anwendung erlaubt das für diesen Benutzer nicht.',
  sendFailed: 'Die E-Mail konnte nicht gesendet werden. Versuchen Sie es gleich noch einmal.',
  notConfigured: 'Die Anwendung ist dafür nicht konfiguriert.',
  invalid: 'Die Änderung wurde abgelehnt. Prüfen Sie das Formular und versuchen Sie es noch einmal.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
      other: `Zu viele Versuche. Versuchen Sie es in ${inMinutes} Minuten noch einmal.`,
    }),
};
