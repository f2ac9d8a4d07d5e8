/** Dutch: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('nl');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Terug naar gebruikers',
  toUser: 'Terug naar de gebruiker',
  signIn: 'Inloggen',
  signInAgain: 'Opnieuw inloggen',
  signOut: 'Uitloggen',
  signedInAs: (who) => ['Je bent ingelogd als ', who, '.'],
  pages: {
    failed: {
      title: 'Er is iets misgegaan',
      text: 'De pagina kon niet worden getoond. Probeer het zo opnieuw.',
    },
    notFound: {
      title: 'Pagina niet gevonden',
      text: 'Er is geen pagina op dit adres.',
    },
    formExpired: {
      title: 'Dit formulier is verlopen',
      text: 'Je hebt opnieuw ingelogd sinds dit formulier werd geopend. Er is niets gewijzigd. Open het opnieuw.',
    },
    noAccess: {
      title: 'Geen toegang',
      text: 'Je account heeft hiervoor geen rechten.',
    },
    signIn: {
      title: 'Inloggen',
      text: 'Log in als beheerder en open deze pagina opnieuw.',
    },
    confirm: {
      title: 'Bevestig dat jij het bent',
      text: 'Log voor je veiligheid opnieuw in om wijzigingen aan te brengen.',
    },
    userNotFound: {
      title: 'Gebruiker niet gevonden',
      text: 'Er is geen gebruiker met deze ID. Misschien is de gebruiker verwijderd.',
    },
    invalid: {
      title: 'Ongeldig verzoek',
      text: 'Het adres van deze pagina of het formulier is ongeldig.',
    },
    notConfigured: {
      title: 'Niet beschikbaar',
      text: 'De applicatie is hier niet voor geconfigureerd.',
    },
    license: {
      title: 'Niet beschikbaar',
      text: 'Voor deze functie is een licentie nodig.',
    },
    storage: {
      title: 'Niet beschikbaar',
      text: 'De opslagadapter ondersteunt deze functie niet.',
    },
  },
  emailExists: 'Een andere gebruiker heeft dit adres.',
  weakPassword: 'Dit wachtwoord is te kort, te gangbaar of bevat het adres. Kies een ander wachtwoord.',
  email: 'Voer een e-mailadres in, bijvoorbeeld ada@example.com.',
  emailMissing: 'Voer een e-mailadres in. Deze wijziging vereist er een.',
  name: 'Voer een naam van maximaal 100 tekens op één regel in.',
  nameAddress: 'Een naam mag geen e-mailadres of link bevatten.',
  nameReserved: 'Deze naam is gereserveerd. Kies een andere.',
  pictureSource: 'Afbeeldingen van dit adres zijn niet toegestaan.',
  usernameTaken: 'Een andere gebruiker heeft deze gebruikersnaam.',
  usernameInvalid:
    'Gebruik 1 tot 32 letters en cijfers van één schrift, met losse punten, koppeltekens of liggende streepjes ertussen.',
  usernameReserved: 'Deze gebruikersnaam is gereserveerd. Kies een andere.',
  guest: 'Een gast krijgt een adres door zich te registreren.',
  outdated:
    'De gebruiker is gewijzigd sinds deze pagina werd geopend. Vergelijk je wijziging met de huidige waarden en sla opnieuw op.',
  lastMethod: 'De gebruiker zou zonder dit niet meer kunnen inloggen.',
  metadata:
    'De metadata moeten een JSON-object van maximaal 8 KB en 8 niveaus zijn, zonder gereserveerde sleutels.',
  metadataObject: (example) => `De metadata moeten een JSON-object zijn, bijvoorbeeld ${example}.`,
  metadataSyntax: (line, column) => `Dit is geen geldige JSON. Controleer regel ${line}, kolom ${column}.`,
  roles:
    'Voer maximaal 20 rollen in van 1 tot 64 kleine letters, cijfers of . _ : - met een letter of cijfer aan beide uiteinden.',
  role: 'Voer een rol in zoals die aan gebruikers wordt gegeven, bijvoorbeeld support.',
  filters: 'Deze voorwaarden zijn ongeldig. Wis de filters.',
  userId: 'Voer de ID van een gebruiker in.',
  redirect:
    'Voer een tot twintig adressen in, elk op een regel: allemaal met https, of allemaal van een app, met een eigen schema of met http voor deze computer.',
  uri: 'Voer een adres in, bijvoorbeeld https://partner.example/.',
  secretUnused: 'De client gebruikt geen secret: registreer een vertrouwelijke client.',
  secretLimit: 'De client heeft twee secrets. Verwijder er eerst een.',
  secretLast: 'Dit is het enige secret van de client. Voeg eerst een ander toe.',
  until: 'Voer een tijdstip in de toekomst in.',
  untilMissing: 'Voer de datum en de tijd in.',
  untilUnused: 'Kies ‘Tot een datum’ of wis het einde van de blokkering.',
  duration: 'Kies een duur.',
  reason: 'De reden mag maximaal 500 tekens lang zijn.',
  passwordMissing: 'Voer een wachtwoord in.',
  phrase: 'Dit komt niet overeen met de gevraagde tekst.',
  incomplete: 'Het formulier is onvolledig. Open het opnieuw.',
  lastOwner:
    'De laatste eigenaar van een organisatie kan haar niet verlaten. Maak eerst een ander lid eigenaar.',
  blocked: 'Deze gebruiker is geblokkeerd.',
  notAllowed: 'De applicatie staat dit voor deze gebruiker niet toe.',
  sendFailed: 'De e-mail kon niet worden verstuurd. Probeer het zo opnieuw.',
  notConfigured: 'De applicatie is hier niet voor geconfigureerd.',
  invalid: 'De wijziging is geweigerd. Controleer het formulier en probeer het opnieuw.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Te veel pogingen. Probeer het over een minuut opnieuw.',
      other: `Te veel pogingen. Probeer het over ${inMinutes} minuten opnieuw.`,
    }),
};
