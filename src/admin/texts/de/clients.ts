/** German: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('de');

export const clients: AdminTexts['clients'] = {
  register: 'Client registrieren',
  count: (n, shown) => plural(n, { one: `${shown} Client`, other: `${shown} Clients` }),
  client: 'Client',
  kind: 'Art',
  returnsTo: 'Führt zurück zu',
  created: 'Erstellt',
  createdAt: (time) => ['Erstellt am ', time],
  none: 'Noch keine Clients',
  noneLead:
    'Clients sind Anwendungen, die Benutzer um Zugriff bitten. Sie erscheinen hier, wenn Sie sie registrieren oder wenn sie sich selbst registrieren.',
  notFound: 'Client nicht gefunden',
  notFoundLead: 'Er wurde vielleicht entfernt oder ist abgelaufen.',
  kinds: {
    registered: 'Registriert',
    dynamic: 'Hat sich selbst registriert',
    document: 'Eigene Adresse',
  },
  proofs: {
    none: 'ohne Secret',
    secret: 'mit Secret',
    key: 'mit eigenem Schlüssel',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Name',
  nameHint: 'Benutzer lesen ihn, wenn der Client um Zugriff bittet.',
  id: 'Client-ID',
  redirects: 'Weiterleitungsadressen',
  redirectsHint: (example) => `Genaue Adressen, jede in einer eigenen Zeile, zum Beispiel ${example}.`,
  page: 'Seite',
  expires: 'Läuft ab',
  change: 'Ändern',
  remove: 'Entfernen',
  secret: 'Secret',
  secrets: 'Secrets',
  newLead: 'Eine Anwendung, die Benutzer um Zugriff auf ihre Konten bitten darf.',
  confidential: 'Er läuft auf einem Server und bewahrt ein Secret auf',
  confidentialHint:
    'Das Secret wird einmal angezeigt. Apps, Kommandozeilen und Webseiten bewahren keines auf.',
  edit: {
    title: 'Client ändern',
    lead: 'Was Benutzer ihm erlaubt haben, bleibt bestehen.',
    submit: 'Client speichern',
  },
  shownSecret: {
    title: 'Client-Secret',
    lead: 'Kopieren Sie das Secret jetzt. Es wird nicht noch einmal angezeigt.',
    done: 'Fertig',
  },
  addSecret: {
    title: 'Secret hinzufügen',
    lead: 'Beide Secrets werden akzeptiert, bis Sie eines davon entfernen.',
  },
  removeSecret: {
    title: 'Secret entfernen',
    lead: 'Programme, die dieses Secret verwenden, werden sofort abgelehnt. Das kann nicht rückgängig gemacht werden.',
  },
  removal: {
    title: 'Client entfernen',
    summary: 'Alles, was Benutzer ihm erlaubt haben, endet.',
    lead: 'Der Client und alles, was Benutzer ihm erlaubt haben, enden sofort. Das kann nicht rückgängig gemacht werden.',
  },
};
