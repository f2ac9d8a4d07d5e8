/** Swedish: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Din session har avslutats. Logga in för att fortsätta.',
  signedOut: 'Du har loggats ut.',
  signedInAgain: 'Du är inloggad igen. Inget har sparats än.',
  otherAccount: (name) => `Du är nu inloggad som ${name}. Inget har ändrats.`,
  otherAccountUnnamed: 'Du är nu inloggad på ett annat konto. Inget har ändrats.',
  linkExpired: 'Länken har gått ut. Begär en ny.',
  reclaimed: {
    title: 'E-postadressen har bekräftats',
    lead: 'Det här kontot skapades utan att din adress hade bekräftats, kanske av någon annan. Lösenordet och övriga inloggningssätt har tagits bort.',
  },
  invitedOnly: 'Konton kan bara skapas via inbjudan',
  invitedOnlyLead: 'Öppna länken i din inbjudan för att skapa ett konto.',
  blocked: 'Du kan inte logga in',
  support: 'Kontakta supporten',
  home: (product) => `Tillbaka till ${product}`,
  offline: 'Du är offline. Kontrollera anslutningen och försök igen.',
  unreachable: 'Det går inte att nå servern. Försök igen om en stund.',
  slow: 'Det här tar längre tid än vanligt.',
  impersonating: (product, user) => [`Du ser ${product} som `, user, '.'],
  impersonatingUnnamed: (product) => `Du ser ${product} som en annan användare.`,
  stopImpersonating: 'Avsluta',
  confirmLink: (email) => ['Du loggar in som ', email, '.'],
  confirmLinkIgnore: 'Stäng sidan om du inte har begärt det här.',
  confirmLinkOther: 'Logga in på ett annat sätt',
};
