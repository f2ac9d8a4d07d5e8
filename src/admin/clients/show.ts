/** The page of a client. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import type { AdminAction } from '../../http/admin-permission.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { card, entry, fact } from '../user/card.js';
import { clientList, clientPath, clientsOf, hasClients, notFound, trailToClients } from './client-page.js';
import { kinds } from './list.js';

export const clientPage = defineAdminPage({
  path: `${clientList}/:client`,
  access: 'no-impersonation',
  action: 'oauthClients.list',
  isOffered: hasClients,
  async show(call) {
    const client = await clientsOf(call).get(call.param('client'));
    if (!client) return notFound();
    const body = html`<div class="heading">
        <h1><bdi>${client.name}</bdi></h1>
      </div>
      <div class="columns">
        <div>${await about(call, client)}</div>
        <div>
          ${client.secrets.length > 0 && client.kind === 'registered' && (await secrets(call, client))}
          ${await removal(call, client)}
        </div>
      </div>`;
    return { title: client.name, trail: trailToClients, section: 'clients', body };
  },
});

async function link(
  call: Call,
  client: RegisteredClient,
  action: AdminAction,
  { to, label, about: subject }: { to: string; label: string; about?: string },
): Promise<Html | false> {
  return (
    (await call.can(action)) &&
    html`<a class="quiet" href="${call.base}${clientPath(client.id)}/${to}"
      >${label}${subject !== undefined && html`<span class="hidden"> ${subject}</span>`}</a
    >`
  );
}

function proofOf({ confidential, secrets: { length } }: RegisteredClient): string {
  if (!confidential) return 'without a secret';
  return length > 0 ? 'with a secret' : 'with its own key';
}

async function about(call: Call, client: RegisteredClient): Promise<Html> {
  const { createdAt, expiresAt, id, kind, name, redirectUris, uri } = client;
  const change =
    kind === 'registered' &&
    (await link(call, client, 'oauthClients.update', { to: 'edit', label: 'Change', about: 'the client' }));
  return card(
    'about',
    'Client',
    html`<dl class="facts">
      ${fact('Name', html`<bdi>${name}</bdi>`)} ${fact('Client id', html`<code>${id}</code>`)}
      ${fact('Kind', `${kinds[kind]}, ${proofOf(client)}`)}
      ${fact(
        'Redirect addresses',
        redirectUris.map((each) => html`<code>${each}</code><br />`),
      )}
      ${uri !== null && fact('Page', html`<bdi>${uri}</bdi>`)} ${fact('Created', when(createdAt))}
      ${expiresAt && fact('Expires', when(expiresAt))}
    </dl>`,
    change || null,
  );
}

async function secrets(call: Call, client: RegisteredClient): Promise<Html> {
  const rows = client.secrets.map(async ({ createdAt, id }) =>
    entry(
      html`<code>${id}</code>`,
      html`Created ${when(createdAt)}`,
      client.secrets.length > 1 &&
        (await link(call, client, 'oauthClients.removeSecret', {
          to: `secrets/${encodeURIComponent(id)}/remove`,
          label: 'Remove',
          about: `secret ${id}`,
        })),
    ),
  );
  const add =
    client.secrets.length < 2 &&
    (await link(call, client, 'oauthClients.addSecret', { to: 'secrets/new', label: 'Add secret' }));
  const list = html`<ul class="entries">
    ${await Promise.all(rows)}
  </ul>`;
  return card('secrets', 'Secrets', list, add || null);
}

async function removal(call: Call, client: RegisteredClient): Promise<Html | false> {
  const remove = await link(call, client, 'oauthClients.remove', { to: 'remove', label: 'Remove client' });
  return (
    remove &&
    card(
      'removal',
      'Remove client',
      html`<p class="none">Everything that users have given it ends.</p>`,
      remove,
    )
  );
}
