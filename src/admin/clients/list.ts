/** The list of the clients: those that the application has registered, and those that have registered themselves. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import { counted } from '../../pages-kit/numbers.js';
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
    const { clients: words, sections } = call.texts;
    const { length } = clients;
    const body = html`<div class="heading">
        <h1>${sections.clients}</h1>
        <p class="count">${words.count(length, counted(call.language, length))}</p>
        <div class="buttons">
          ${canCreate && html`<a class="button primary" href="${call.base}${path}/new">${words.register}</a>`}
        </div>
      </div>
      ${length === 0 ? empty(call) : table(call, clients)}`;
    return { title: sections.clients, section: 'clients', body };
  },
});

const empty = ({ texts: { clients } }: Call) =>
  html`<div class="empty">
    <h2>${clients.none}</h2>
    <p>${clients.noneLead}</p>
  </div>`;

/** Where the answers go: the hosts, or the schemes of apps. */
export function hostsOf({ redirectUris }: RegisteredClient): string[] {
  const hosts = redirectUris.map((uri) => {
    const { host, protocol } = new URL(uri);
    return /^https?:$/.test(protocol) ? host : protocol;
  });
  return [...new Set(hosts)];
}

function table(call: Call, records: readonly RegisteredClient[]): Html {
  const { clients, sections } = call.texts;
  return listTable(
    sections.clients,
    [clients.client, clients.kind, clients.returnsTo, clients.created],
    records.map((client) => row(call, client)),
  );
}

function row(call: Call, client: RegisteredClient): Html {
  const { base, texts } = call;
  const { created, kind, kinds, returnsTo } = texts.clients;
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        <div>
          <a href="${base}${clientPath(client.id)}"><bdi>${client.name}</bdi></a>
          <bdi class="second">${client.id}</bdi>
        </div>
      </div>
    </td>
    <td role="cell" data-label="${kind}">${kinds[client.kind]}</td>
    <td role="cell" data-label="${returnsTo}"><bdi>${hostsOf(client).join(', ')}</bdi></td>
    <td role="cell" data-label="${created}" class="date">${when(call, client.createdAt, 'date')}</td>
  </tr>`;
}
