/** Italian: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('it');

export const clients: AdminTexts['clients'] = {
  register: 'Registra client',
  count: (n, shown) => plural(n, { one: `${shown} client`, other: `${shown} client` }),
  client: 'Client',
  kind: 'Tipo',
  returnsTo: 'Reindirizza a',
  created: 'Creazione',
  createdAt: (time) => ['Creato il ', time],
  none: 'Ancora nessun client',
  noneLead:
    'I client sono applicazioni che chiedono l’accesso agli utenti. Compaiono qui quando li registri o quando si registrano da soli.',
  notFound: 'Client non trovato',
  notFoundLead: 'Potrebbe essere stato rimosso o essere scaduto.',
  kinds: {
    registered: 'Registrato',
    dynamic: 'Registrato da sé',
    document: 'Indirizzo proprio',
  },
  proofs: {
    none: 'senza segreto',
    secret: 'con segreto',
    key: 'con chiave propria',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nome',
  nameHint: 'Gli utenti lo leggono quando il client chiede l’accesso.',
  id: 'ID client',
  redirects: 'Indirizzi di reindirizzamento',
  redirectsHint: (example) => `Indirizzi esatti, uno per riga, ad esempio ${example}.`,
  page: 'Pagina',
  expires: 'Scadenza',
  change: 'Modifica',
  remove: 'Rimuovi',
  secret: 'Segreto',
  secrets: 'Segreti',
  newLead: 'Un’applicazione che può chiedere agli utenti l’accesso ai loro account.',
  confidential: 'È in esecuzione su un server e conserva un segreto',
  confidentialHint:
    'Il segreto viene mostrato una sola volta. App, righe di comando e pagine non ne conservano.',
  edit: {
    title: 'Modifica client',
    lead: 'Le autorizzazioni date dagli utenti restano valide.',
    submit: 'Salva client',
  },
  shownSecret: {
    title: 'Segreto del client',
    lead: 'Copia il segreto ora. Non verrà mostrato di nuovo.',
    done: 'Fine',
  },
  addSecret: {
    title: 'Aggiungi segreto',
    lead: 'Entrambi i segreti sono accettati finché non ne rimuovi uno.',
  },
  removeSecret: {
    title: 'Rimuovi segreto',
    lead: 'I programmi che usano questo segreto vengono rifiutati subito. Questa azione è irreversibile.',
  },
  removal: {
    title: 'Rimuovi client',
    summary: 'Tutte le autorizzazioni date dagli utenti terminano.',
    lead: 'Il client e tutte le autorizzazioni date dagli utenti terminano subito. Questa azione è irreversibile.',
  },
};
