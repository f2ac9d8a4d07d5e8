/** Swedish: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Detta är ditt eget konto.',
  email: 'E-postadress',
  verified: 'Adressen är verifierad',
  verifiedHint: 'Bara om du vet att användaren läser e-post till den här adressen.',
  username: 'Användarnamn',
  emptyHint: 'Lämna tomt för ingen.',
  roles: 'Roller',
  rolesHint: (example) => `Åtskilda av mellanslag eller kommatecken, till exempel: ${example}.`,
  rolesEmptyHint: (example) =>
    `Åtskilda av mellanslag eller kommatecken, till exempel: ${example}. Lämna tomt för inga.`,
  metadata: 'Metadata',
  metadataJson: 'Metadata (JSON)',
  metadataHint: 'Ett JSON-objekt på högst 8 kB.',
  reasonLabel: 'Orsak',
  signOut: {
    title: 'Logga ut överallt',
    lead: (name) => ['Avslutar alla sessioner och token för ', name, '. API-nycklar fortsätter att gälla.'],
    own: 'Detta är ditt eget konto. Du måste logga in igen.',
  },
  impersonate: {
    title: 'Agera som användare',
    lead: (name) => [
      'Du agerar som ',
      name,
      ' i programmet i högst 15 minuter. Sluta med knappen högst upp på kontots sidor, eller öppna administrationssidorna igen.',
    ],
    reasonHint: 'Sparas med åtkomsten, till exempel numret på ett supportärende.',
  },
  delete: {
    title: 'Radera användare',
    lead: (name) => [
      'Raderar ',
      name,
      ' med alla sessioner, inloggningsmetoder, API-nycklar och medlemskap, och de data som ditt program sparar om användaren. Det går inte att ångra.',
    ],
    confirm: (phrase) => `Bekräfta genom att skriva ${phrase}`,
  },
  block: {
    title: 'Spärra användare',
    lead: (name) => [
      name,
      ' loggas ut överallt och kan inte logga in under spärren. Användarens API-nycklar slutar fungera.',
    ],
    own: 'Detta är ditt eget konto. Du loggas ut och kan inte häva spärren själv.',
    reasonHint: 'För administratörer. Användaren ser den aldrig.',
    duration: 'Varaktighet',
    forever: 'Tills du häver spärren',
    hour: '1 timme',
    day: '1 dag',
    week: '7 dagar',
    month: '30 dagar',
    date: 'Till ett datum',
    until: (zone) => ['Spärrens slut (', zone, ')'],
  },
  unblock: {
    title: 'Häv spärren',
    lead: (name) => [
      name,
      ' kan logga in igen, och användarens API-nycklar fungerar igen. Sessioner som spärren avslutade förblir avslutade.',
    ],
  },
  editMetadata: {
    title: 'Redigera metadata',
    lead: (name) => ['Det som programmet sparar om ', name, '.'],
    hint: 'Ett JSON-objekt på högst 8 kB. Det ersätter alla metadata.',
    current: 'Aktuella metadata',
    submit: 'Spara metadata',
  },
  name: {
    title: 'Ändra namn',
    titleWithPicture: 'Ändra namn och bild',
    lead: (name) => ['Det som andra användare ser av ', name, '.'],
    name: 'Namn',
    picture: 'Länk till en bild',
    pictureHint: (sources) => `Den måste börja med ${sources}. Lämna tomt för ingen.`,
    submit: 'Spara',
  },
  invite: {
    title: 'Bjud in användare',
    lead: 'Användaren får ett e-postmeddelande med en länk som fungerar en gång, i sju dagar. Adressen verifieras när länken öppnas.',
    submit: 'Skicka inbjudan',
  },
  create: {
    title: 'Skapa användare',
    lead: 'Skapar kontot direkt och skickar ingen e-post. Bjud in användaren i stället om användaren själv ska välja lösenord.',
    password: 'Lösenord',
  },
  address: {
    add: 'Lägg till e-postadress',
    change: 'Ändra e-postadress',
    lead: 'En ny adress avslutar användarens alla sessioner och upphäver det som har skickats till den gamla.',
    submit: 'Spara adress',
  },
  verify: {
    title: 'Verifiera e-postadress',
    lead: (address) => [
      'Markerar ',
      address,
      ' som verifierad, utan e-post. Gör detta bara om du vet att användaren läser e-post till adressen.',
    ],
    submit: 'Verifiera adress',
  },
  changeUsername: {
    add: 'Lägg till användarnamn',
    change: 'Ändra användarnamn',
    submit: 'Spara användarnamn',
  },
  changeRoles: {
    title: 'Ändra roller',
    lead: (name) => ['Rollerna för ', name, ' i programmet.'],
    own: 'Detta är ditt eget konto. Utan din roll kan du förlora åtkomsten till de här sidorna.',
    submit: 'Spara roller',
  },
  password: {
    replace: 'Ersätt lösenord',
    set: 'Ange lösenord',
    lead: (name) => ['Loggar ut ', name, ' överallt och upphäver väntande koder och länkar.'],
    new: 'Nytt lösenord',
  },
  removals: {
    gone: 'Detta finns inte längre: det har redan avslutats eller hör till en annan användare.',
    user: 'Användare',
    session: {
      title: 'Logga ut enhet',
      term: 'Session',
      effect: 'Enheten loggas ut vid nästa begäran.',
    },
    token: {
      title: 'Återkalla app-token',
      term: 'App',
      effect: 'Appen loggas ut vid nästa begäran.',
    },
    account: {
      title: 'Koppla från kontot',
      term: 'Konto',
      effect: 'Användaren kan inte längre logga in med det.',
    },
    passkey: {
      title: 'Ta bort lösennyckel',
      term: 'Lösennyckel',
      effect: 'Användaren kan inte längre logga in med det.',
    },
    app: {
      title: 'Ta bort autentiseringsapp',
      term: 'Andra faktor',
      effect:
        'Användaren loggar in utan en andra faktor och loggas ut överallt. Återställningskoderna tas också bort.',
    },
    organization: {
      title: 'Ta bort från organisation',
      term: 'Organisation',
      effect: 'Användaren förlorar åtkomsten till organisationen. Användaren kan bjudas in igen.',
    },
    key: {
      title: 'Återkalla API-nyckel',
      term: 'API-nyckel',
      effect: 'Program som använder nyckeln nekas direkt. Det går inte att ångra.',
    },
  },
};
