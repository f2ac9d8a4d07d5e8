/** Italian: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'La tua sessione è terminata. Accedi per continuare.',
  signedOut: 'Hai effettuato la disconnessione.',
  signedInAgain: 'Hai effettuato di nuovo l’accesso. Non è ancora stato salvato nulla.',
  otherAccount: (name) => `Ora hai effettuato l’accesso come ${name}. Non è stato modificato nulla.`,
  otherAccountUnnamed: 'Ora hai effettuato l’accesso a un altro account. Non è stato modificato nulla.',
  linkExpired: 'Questo link è scaduto. Richiedine uno nuovo.',
  reclaimed: {
    title: 'Indirizzo email confermato',
    lead: 'Questo account è stato creato senza confermare il tuo indirizzo, forse da un’altra persona. La password e gli altri metodi di accesso sono stati rimossi.',
  },
  invitedOnly: 'Registrazione solo su invito',
  invitedOnlyLead: 'Per creare un account, apri il link del tuo invito.',
  blocked: 'Impossibile accedere',
  support: 'Contatta l’assistenza',
  home: (product) => `Torna a ${product}`,
  offline: 'Sei offline. Controlla la connessione e riprova.',
  unreachable: 'Il server non è raggiungibile. Riprova tra poco.',
  slow: 'Ci vuole più tempo del solito.',
  impersonating: (product, user) => [`Stai visualizzando ${product} come `, user, '.'],
  impersonatingUnnamed: (product) => `Stai visualizzando ${product} come un altro utente.`,
  stopImpersonating: 'Termina',
  confirmLink: (email) => ['Stai per accedere come ', email, '.'],
  confirmLinkIgnore: 'Se non hai richiesto l’accesso, chiudi questa pagina.',
  confirmLinkOther: 'Accedi in un altro modo',
};
