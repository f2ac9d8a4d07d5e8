/** Dutch: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Je sessie is beëindigd. Log in om door te gaan.',
  signedOut: 'Je bent uitgelogd.',
  signedInAgain: 'Je bent weer ingelogd. Er is nog niets opgeslagen.',
  otherAccount: (name) => `Je bent nu ingelogd als ${name}. Er is niets gewijzigd.`,
  otherAccountUnnamed: 'Je bent nu ingelogd bij een ander account. Er is niets gewijzigd.',
  linkExpired: 'Deze link is verlopen. Vraag een nieuwe aan.',
  reclaimed: {
    title: 'E-mailadres bevestigd',
    lead: 'Dit account is gemaakt zonder dat je adres was bevestigd, misschien door iemand anders. Het wachtwoord en de andere inlogmethoden zijn verwijderd.',
  },
  invitedOnly: 'Registreren kan alleen op uitnodiging',
  invitedOnlyLead: 'Open de link in je uitnodiging om een account te maken.',
  blocked: 'Je kunt niet inloggen',
  support: 'Contact opnemen met support',
  home: (product) => `Terug naar ${product}`,
  offline: 'Je bent offline. Controleer je verbinding en probeer het opnieuw.',
  unreachable: 'De server is niet bereikbaar. Probeer het zo meteen opnieuw.',
  slow: 'Dit duurt langer dan normaal.',
  impersonating: (product, user) => [`Je bekijkt ${product} als `, user, '.'],
  impersonatingUnnamed: (product) => `Je bekijkt ${product} als een andere gebruiker.`,
  stopImpersonating: 'Stoppen',
  confirmLink: (email) => ['Je logt in als ', email, '.'],
  confirmLinkIgnore: 'Heb je dit niet aangevraagd? Sluit dan deze pagina.',
  confirmLinkOther: 'Op een andere manier inloggen',
};
