/** English: the clients of the OAuth server. */
import type { Html, Value } from '../../html/html.js';

const plural = new Intl.PluralRules('en');

export const enClients = {
  register: 'Register client',
  /** @param shown the number as text. */
  count: (n: number, shown: string) => (plural.select(n) === 'one' ? `${shown} client` : `${shown} clients`),
  client: 'Client',
  kind: 'Kind',
  returnsTo: 'Returns to',
  created: 'Created',
  createdAt: (time: Html): Value => ['Created ', time],
  none: 'No clients yet',
  noneLead:
    'Clients are applications that ask users for access. They appear here when you register them, or when they register themselves.',
  notFound: 'Client not found',
  notFoundLead: 'It may have been removed, or it has expired.',
  kinds: { registered: 'Registered', dynamic: 'Registered itself', document: 'Its own address' },
  proofs: {
    none: 'without a secret',
    secret: 'with a secret',
    key: 'with its own key',
  },
  kindAndProof: (kind: string, proof: string) => `${kind}, ${proof}`,
  name: 'Name',
  nameHint: 'Users read it when the client asks for access.',
  id: 'Client id',
  redirects: 'Redirect addresses',
  redirectsHint: (example: string) => `Exact addresses, each on a line, such as ${example}.`,
  page: 'Page',
  expires: 'Expires',
  change: 'Change',
  remove: 'Remove',
  secret: 'Secret',
  secrets: 'Secrets',
  newLead: 'An application that may ask users for access to their accounts.',
  confidential: 'It runs on a server and keeps a secret',
  confidentialHint: 'The secret is shown once. Apps, command lines and pages keep none.',
  edit: { title: 'Change client', lead: 'What users have given it stays.', submit: 'Save client' },
  shownSecret: {
    title: 'Client secret',
    lead: 'Copy the secret now. It is not shown again.',
    done: 'Done',
  },
  addSecret: { title: 'Add secret', lead: 'Both secrets are accepted until you remove one of them.' },
  removeSecret: {
    title: 'Remove secret',
    lead: 'Programs that use this secret are refused at once. This cannot be undone.',
  },
  removal: {
    title: 'Remove client',
    summary: 'Everything that users have given it ends.',
    lead: 'The client and everything that users have given it end at once. This cannot be undone.',
  },
};
