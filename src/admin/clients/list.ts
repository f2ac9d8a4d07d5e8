/** The list of the clients: those that the application has registered, and those that have registered themselves. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { listTable } from '../table.js';
import { clientList as path, clientPath, clientsOf, hasClients } from './client-page.js';

export const clientList = defineAdminPage({
  path,
  access: 'no-impersonation',
  action: 'oauthClients.list',
  isOffered: hasClients,
  async show(call) {
    const [clients, canCreate] = await Promise.all([clientsOf(call).list(), call.can('oauthClients.create')]);
    const body = html`<div class="heading">
        <h1>Clients</h1>
        <p class="count">
          ${clients.length === 1 ? '1 client' : `${clients.length.toLocaleString('en')} clients`}
        </p>
        <div class="buttons">
          ${canCreate && html`<a class="button primary" href="${call.base}${path}/new">Register client</a>`}
        </div>
      </div>
      ${clients.length === 0 ? empty : table(call, clients)}`;
    return { title: 'Clients', section: 'clients', body };
  },
});

const empty = html`<div class="empty">
  <h2>No clients yet</h2>
  <p>
    Clients are applications that ask users for access. They appear here when you register them, or when they
    register themselves.
  </p>
</div>`;

export const kinds: Readonly<Record<RegisteredClient['kind'], string>> = {
  registered: 'Registered',
  dynamic: 'Registered itself',
  document: 'Its own address',
};

/** Where the answers go: the hosts, or the schemes of apps. */
export function hostsOf({ redirectUris }: RegisteredClient): string[] {
  const hosts = redirectUris.map((uri) => {
    const { host, protocol } = new URL(uri);
    return /^https?:$/.test(protocol) ? host : protocol;
  });
  return [...new Set(hosts)];
}

const headings = ['Client', 'Kind', 'Returns to', 'Created'];

const table = (call: Call, clients: readonly RegisteredClient[]) =>
  listTable(
    'Clients',
    headings,
    clients.map((client) => row(call, client)),
  );

function row({ base }: Call, client: RegisteredClient): Html {
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        <div>
          <a href="${base}${clientPath(client.id)}"><bdi>${client.name}</bdi></a>
          <bdi class="second">${client.id}</bdi>
        </div>
      </div>
    </td>
    <td role="cell" data-label="Kind">${kinds[client.kind]}</td>
    <td role="cell" data-label="Returns to"><bdi>${hostsOf(client).join(', ')}</bdi></td>
    <td role="cell" data-label="Created" class="date">${when(client.createdAt, 'date')}</td>
  </tr>`;
}
