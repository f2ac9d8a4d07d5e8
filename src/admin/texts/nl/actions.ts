/** Dutch: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Dit is je eigen account.',
  email: 'E-mailadres',
  verified: 'Het adres is bevestigd',
  verifiedHint: 'Alleen als je weet dat deze gebruiker de e-mails aan dit adres leest.',
  username: 'Gebruikersnaam',
  emptyHint: 'Laat leeg voor geen.',
  roles: 'Rollen',
  rolesHint: (example) => `Gescheiden door spaties of komma’s, bijvoorbeeld: ${example}.`,
  rolesEmptyHint: (example) =>
    `Gescheiden door spaties of komma’s, bijvoorbeeld: ${example}. Laat leeg voor geen.`,
  metadata: 'Metadata',
  metadataJson: 'Metadata (JSON)',
  metadataHint: 'Een JSON-object van maximaal 8 KB.',
  reasonLabel: 'Reden',
  signOut: {
    title: 'Overal uitloggen',
    lead: (name) => ['Beëindigt alle sessies en tokens van ', name, '. API-sleutels blijven geldig.'],
    own: 'Dit is je eigen account. Je moet daarna opnieuw inloggen.',
  },
  impersonate: {
    title: 'Handelen als gebruiker',
    lead: (name) => [
      'Je handelt maximaal 15 minuten als ',
      name,
      ' in de applicatie. Gebruik om te stoppen de knop boven aan elke pagina van het account, of open de beheerpagina’s opnieuw.',
    ],
    reasonHint: 'Wordt bij deze toegang vastgelegd, bijvoorbeeld het nummer van een supportverzoek.',
  },
  delete: {
    title: 'Gebruiker verwijderen',
    lead: (name) => [
      'Verwijdert ',
      name,
      ' met alle sessies, inlogmethoden, API-sleutels en lidmaatschappen, en de gegevens die je applicatie over deze gebruiker bewaart. Dit kan niet ongedaan worden gemaakt.',
    ],
    confirm: (phrase) => `Typ ter bevestiging ${phrase}`,
  },
  block: {
    title: 'Gebruiker blokkeren',
    lead: (name) => [
      name,
      ' wordt overal uitgelogd en kan tijdens de blokkering niet inloggen. API-sleutels van deze gebruiker werken niet meer.',
    ],
    own: 'Dit is je eigen account. Je wordt uitgelogd en kunt de blokkering niet zelf opheffen.',
    reasonHint: 'Voor beheerders. De gebruiker ziet dit nooit.',
    duration: 'Duur',
    forever: 'Totdat je de blokkering opheft',
    hour: '1 uur',
    day: '1 dag',
    week: '7 dagen',
    month: '30 dagen',
    date: 'Tot een datum',
    until: (zone) => ['Einde van de blokkering (', zone, ')'],
  },
  unblock: {
    title: 'Blokkering opheffen',
    lead: (name) => [
      name,
      ' kan weer inloggen en API-sleutels van deze gebruiker werken weer. Sessies die door de blokkering zijn beëindigd, blijven beëindigd.',
    ],
  },
  editMetadata: {
    title: 'Metadata bewerken',
    lead: (name) => ['Wat de applicatie over ', name, ' bewaart.'],
    hint: 'Een JSON-object van maximaal 8 KB. Het vervangt alle metadata.',
    current: 'Huidige metadata',
    submit: 'Metadata opslaan',
  },
  name: {
    title: 'Naam wijzigen',
    titleWithPicture: 'Naam en foto wijzigen',
    lead: (name) => ['Wat andere gebruikers van ', name, ' zien.'],
    name: 'Naam',
    picture: 'Link naar een afbeelding',
    pictureHint: (sources) => `De link moet beginnen met ${sources}. Laat leeg voor geen.`,
    submit: 'Opslaan',
  },
  invite: {
    title: 'Gebruiker uitnodigen',
    lead: 'De gebruiker krijgt een e-mail met een link die één keer werkt, zeven dagen lang. Wie hem opent, bevestigt het adres.',
    submit: 'Uitnodiging sturen',
  },
  create: {
    title: 'Gebruiker maken',
    lead: 'Maakt het account meteen en stuurt geen e-mail. Nodig de gebruiker uit als die zelf een wachtwoord moet kiezen.',
    password: 'Wachtwoord',
  },
  address: {
    add: 'E-mailadres toevoegen',
    change: 'E-mailadres wijzigen',
    lead: 'Een nieuw adres beëindigt alle sessies van de gebruiker en annuleert wat naar het oude is gestuurd.',
    submit: 'Adres opslaan',
  },
  verify: {
    title: 'E-mailadres bevestigen',
    lead: (address) => [
      'Markeert ',
      address,
      ' als bevestigd, zonder e-mail. Doe dit alleen als je weet dat de gebruiker de e-mails aan dit adres leest.',
    ],
    submit: 'Adres bevestigen',
  },
  changeUsername: {
    add: 'Gebruikersnaam toevoegen',
    change: 'Gebruikersnaam wijzigen',
    submit: 'Gebruikersnaam opslaan',
  },
  changeRoles: {
    title: 'Rollen wijzigen',
    lead: (name) => ['De rollen van ', name, ' in de applicatie.'],
    own: 'Dit is je eigen account. Zonder je rol kun je de toegang tot deze pagina’s verliezen.',
    submit: 'Rollen opslaan',
  },
  password: {
    replace: 'Wachtwoord vervangen',
    set: 'Wachtwoord instellen',
    lead: (name) => ['Logt ', name, ' overal uit en annuleert openstaande codes en links.'],
    new: 'Nieuw wachtwoord',
  },
  removals: {
    gone: 'Dit bestaat niet meer: het is al beëindigd of hoort bij een andere gebruiker.',
    user: 'Gebruiker',
    session: {
      title: 'Apparaat uitloggen',
      term: 'Sessie',
      effect: 'Het apparaat wordt bij het volgende verzoek uitgelogd.',
    },
    token: {
      title: 'App-token intrekken',
      term: 'App',
      effect: 'De app wordt bij het volgende verzoek uitgelogd.',
    },
    account: {
      title: 'Account ontkoppelen',
      term: 'Account',
      effect: 'De gebruiker kan er niet meer mee inloggen.',
    },
    passkey: {
      title: 'Passkey verwijderen',
      term: 'Passkey',
      effect: 'De gebruiker kan er niet meer mee inloggen.',
    },
    app: {
      title: 'Authenticator-app verwijderen',
      term: 'Tweede factor',
      effect:
        'De gebruiker logt in zonder tweede factor en wordt overal uitgelogd. Ook de herstelcodes worden verwijderd.',
    },
    organization: {
      title: 'Uit organisatie verwijderen',
      term: 'Organisatie',
      effect:
        'De gebruiker verliest de toegang tot de organisatie. De gebruiker kan opnieuw worden uitgenodigd.',
    },
    key: {
      title: 'API-sleutel intrekken',
      term: 'API-sleutel',
      effect:
        'Programma’s die deze sleutel gebruiken, worden meteen geweigerd. Dit kan niet ongedaan worden gemaakt.',
    },
  },
};
