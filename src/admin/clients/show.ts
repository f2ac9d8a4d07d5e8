/** The page of a client. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import type { AdminAction } from '../../http/admin-permission.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { card, entry, fact } from '../user/card.js';
import { clientList, clientPath, clientsOf, hasClients, notFound, trailToClients } from './client-page.js';

export const clientPage = defineAdminPage({
  path: `${clientList}/:client`,
  access: 'no-impersonation',
  action: 'oauthClients.list',
  isOffered: hasClients,
  async show(call) {
    const client = await clientsOf(call).get(call.param('client'));
    if (!client) return notFound(call);
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
    return { title: client.name, trail: trailToClients(call), section: 'clients', body };
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
      >${label}${subject !== undefined && html`<span class="hidden">: ${subject}</span>`}</a
    >`
  );
}

type Proof = 'key' | 'none' | 'secret';

function proofOf({ confidential, secrets: { length } }: RegisteredClient): Proof {
  if (!confidential) return 'none';
  return length > 0 ? 'secret' : 'key';
}

async function about(call: Call, client: RegisteredClient): Promise<Html> {
  const { createdAt, expiresAt, id, kind, name, redirectUris, uri } = client;
  const words = call.texts.clients;
  const change =
    kind === 'registered' &&
    (await link(call, client, 'oauthClients.update', { to: 'edit', label: words.change, about: name }));
  return card(
    'about',
    words.client,
    html`<dl class="facts">
      ${fact(words.name, html`<bdi>${name}</bdi>`)} ${fact(words.id, html`<code>${id}</code>`)}
      ${fact(words.kind, words.kindAndProof(words.kinds[kind], words.proofs[proofOf(client)]))}
      ${fact(
        words.redirects,
        redirectUris.map((each) => html`<code>${each}</code><br />`),
      )}
      ${uri !== null && fact(words.page, html`<bdi>${uri}</bdi>`)}
      ${fact(words.created, when(call, createdAt))} ${expiresAt && fact(words.expires, when(call, expiresAt))}
    </dl>`,
    change || null,
  );
}

async function secrets(call: Call, client: RegisteredClient): Promise<Html> {
  const words = call.texts.clients;
  const rows = client.secrets.map(async ({ createdAt, id }) =>
    entry(
      html`<code>${id}</code>`,
      words.createdAt(when(call, createdAt)),
      client.secrets.length > 1 &&
        (await link(call, client, 'oauthClients.removeSecret', {
          to: `secrets/${encodeURIComponent(id)}/remove`,
          label: words.remove,
          about: id,
        })),
    ),
  );
  const add =
    client.secrets.length < 2 &&
    (await link(call, client, 'oauthClients.addSecret', { to: 'secrets/new', label: words.addSecret.title }));
  const list = html`<ul class="entries">
    ${await Promise.all(rows)}
  </ul>`;
  return card('secrets', words.secrets, list, add || null);
}

async function removal(call: Call, client: RegisteredClient): Promise<Html | false> {
  const { summary, title } = call.texts.clients.removal;
  const remove = await link(call, client, 'oauthClients.remove', { to: 'remove', label: title });
  return remove && card('removal', title, html`<p class="none">${summary}</p>`, remove);
}
