/** German: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Ihre Sitzung ist beendet. Melden Sie sich an, um fortzufahren.',
  signedOut: 'Sie wurden abgemeldet.',
  signedInAgain: 'Sie sind wieder angemeldet. Es wurde noch nichts gespeichert.',
  otherAccount: (name) => `Sie sind jetzt als ${name} angemeldet. Es wurde nichts geändert.`,
  otherAccountUnnamed: 'Sie sind jetzt bei einem anderen Konto angemeldet. Es wurde nichts geändert.',
  linkExpired: 'Dieser Link ist abgelaufen. Fordern Sie einen neuen an.',
  reclaimed: {
    title: 'E-Mail-Adresse bestätigt',
    lead: 'Dieses Konto wurde erstellt, ohne dass Ihre Adresse bestätigt war, möglicherweise von jemand anderem. Deshalb wurden das Passwort und alle anderen Anmeldemöglichkeiten entfernt.',
  },
  invitedOnly: 'Registrierung nur auf Einladung',
  invitedOnlyLead: 'Um ein Konto zu erstellen, öffnen Sie den Link in Ihrer Einladung.',
  blocked: 'Anmeldung nicht möglich',
  support: 'Support kontaktieren',
  home: (product) => `Zurück zu ${product}`,
  offline: 'Sie sind offline. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  unreachable: 'Der Server ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  slow: 'Das dauert länger als gewöhnlich.',
  impersonating: (product, user) => [`Sie sehen ${product} als `, user, '.'],
  impersonatingUnnamed: (product) => `Sie sehen ${product} als eine andere Person.`,
  stopImpersonating: 'Beenden',
  confirmLink: (email) => ['Sie melden sich als ', email, ' an.'],
  confirmLinkIgnore: 'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite.',
  confirmLinkOther: 'Anders anmelden',
};
