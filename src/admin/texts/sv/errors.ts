/** Swedish: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('sv');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Tillbaka till användarna',
  toUser: 'Tillbaka till användaren',
  signIn: 'Logga in',
  signInAgain: 'Logga in igen',
  signOut: 'Logga ut',
  signedInAs: (who) => ['Du är inloggad som ', who, '.'],
  pages: {
    failed: {
      title: 'Något gick fel',
      text: 'Sidan kunde inte visas. Försök igen om en stund.',
    },
    notFound: {
      title: 'Sidan hittades inte',
      text: 'Det finns ingen sida på den här adressen.',
    },
    formExpired: {
      title: 'Formuläret har gått ut',
      text: 'Du har loggat in igen sedan formuläret öppnades. Inget har ändrats. Öppna det igen.',
    },
    noAccess: {
      title: 'Ingen åtkomst',
      text: 'Ditt konto saknar behörighet för detta.',
    },
    signIn: {
      title: 'Logga in',
      text: 'Logga in som administratör och öppna sedan sidan igen.',
    },
    confirm: {
      title: 'Bekräfta att det är du',
      text: 'Logga in igen för att göra ändringar. Det är för din säkerhet.',
    },
    userNotFound: {
      title: 'Användaren hittades inte',
      text: 'Det finns ingen användare med detta id. Användaren kan ha raderats.',
    },
    invalid: {
      title: 'Ogiltig begäran',
      text: 'Sidans adress eller formulär är ogiltigt.',
    },
    notConfigured: {
      title: 'Inte tillgängligt',
      text: 'Programmet är inte konfigurerat för detta.',
    },
    license: {
      title: 'Inte tillgängligt',
      text: 'Funktionen kräver en licens.',
    },
    storage: {
      title: 'Inte tillgängligt',
      text: 'Lagringsadaptern stöder inte funktionen.',
    },
  },
  emailExists: 'En annan användare har den här adressen.',
  weakPassword: 'Lösenordet är för kort, för vanligt eller innehåller adressen. Välj ett annat.',
  email: 'Ange en e-postadress, till exempel ada@example.com.',
  emailMissing: 'Ange en e-postadress. Ändringen kräver en.',
  name: 'Ange ett namn med högst 100 tecken på en rad.',
  nameAddress: 'Ett namn får inte innehålla en e-postadress eller en länk.',
  nameReserved: 'Namnet är reserverat. Välj ett annat.',
  pictureSource: 'Bilder från den här adressen är inte tillåtna.',
  usernameTaken: 'En annan användare har det här användarnamnet.',
  usernameInvalid:
    'Använd 1 till 32 bokstäver och siffror ur ett och samma skriftsystem, med enstaka punkter, bindestreck eller understreck emellan.',
  usernameReserved: 'Användarnamnet är reserverat. Välj ett annat.',
  guest: 'En gäst får en adress genom att skapa ett konto.',
  outdated:
    'Användaren har ändrats sedan sidan öppnades. Jämför din ändring med de aktuella värdena och spara igen.',
  lastMethod: 'Användaren skulle inte längre kunna logga in utan detta.',
  metadata: 'Metadata måste vara ett JSON-objekt på högst 8 kB och 8 nivåer, utan reserverade nycklar.',
  metadataObject: (example) => `Metadata måste vara ett JSON-objekt, till exempel ${example}.`,
  metadataSyntax: (line, column) => `Detta är inte giltig JSON. Kontrollera rad ${line}, kolumn ${column}.`,
  roles:
    'Ange högst 20 roller med 1 till 64 små bokstäver, siffror eller . _ : - och med en bokstav eller siffra i båda ändar.',
  role: 'Ange en roll så som användarna har den, till exempel support.',
  filters: 'Villkoren är ogiltiga. Rensa filtren.',
  userId: 'Ange id för en användare.',
  redirect:
    'Ange en till tjugo adresser, en per rad: alla med https, eller alla för en app, med eget schema eller med http för den här datorn.',
  uri: 'Ange en adress, till exempel https://partner.example/.',
  secretUnused: 'Klienten använder ingen hemlighet: registrera en konfidentiell klient.',
  secretLimit: 'Klienten har två hemligheter. Ta först bort en av dem.',
  secretLast: 'Detta är klientens enda hemlighet. Lägg först till en annan.',
  until: 'Ange en tidpunkt i framtiden.',
  untilMissing: 'Ange datum och tid.',
  untilUnused: 'Välj ”Till ett datum” eller rensa spärrens slut.',
  duration: 'Välj en varaktighet.',
  reason: 'Orsaken får vara högst 500 tecken lång.',
  passwordMissing: 'Ange ett lösenord.',
  phrase: 'Texten stämmer inte överens.',
  incomplete: 'Formuläret är ofullständigt. Öppna det igen.',
  lastOwner: 'Den sista ägaren kan inte lämna en organisation. Gör först en annan medlem till ägare.',
  blocked: 'Användaren är spärrad.',
  notAllowed: 'Programmet tillåter inte detta för användaren.',
  sendFailed: 'E-postmeddelandet kunde inte skickas. Försök igen om en stund.',
  notConfigured: 'Programmet är inte konfigurerat för detta.',
  invalid: 'Ändringen nekades. Kontrollera formuläret och försök igen.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'För många försök. Försök igen om en minut.',
      other: `För många försök. Försök igen om ${inMinutes} minuter.`,
    }),
};
