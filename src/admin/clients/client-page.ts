/** What the pages about the clients of the OAuth server share. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html } from '../../html/html.js';
import { internals, type ClientAdministration } from '../../core/internals.js';
import type { AdminAction } from '../../http/admin-permission.js';
import type { Service } from '../../engine/service.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { formView } from '../form-view.js';
import { defineAdminPage, type AdminForm, type Call, type FormView, type Page, type View } from '../page.js';

export const clientList = '/clients';

export function clientPath(id: string): string {
  return `${clientList}/${encodeURIComponent(id)}`;
}

export function hasClients(service: Service): boolean {
  return service[internals].consents.clients !== undefined;
}

export function clientsOf({ service }: Call): ClientAdministration {
  return service[internals].consents.clients!;
}

/** The link to the list of clients. */
export function trailToClients({ texts }: Pick<Call, 'texts'>): NonNullable<View['trail']> {
  return [{ label: texts.sections.clients, path: clientList }];
}

export function trailTo(
  call: Pick<Call, 'texts'>,
  { id, name }: RegisteredClient,
): NonNullable<View['trail']> {
  return [...trailToClients(call), { label: name, path: clientPath(id) }];
}

export function notFound(call: Call): View {
  const { notFound: title, notFoundLead } = call.texts.clients;
  const body = html`<div class="empty">
    <h1>${title}</h1>
    <p>${notFoundLead}</p>
  </div>`;
  return { title, trail: trailToClients(call), section: 'clients', body, status: 404 };
}

interface ClientForm {
  /** Below the path of the client. */
  path: string;
  action: AdminAction;
  view: (client: RegisteredClient, call: Call, attempt: Attempt | null) => FormView;
  submit: AdminForm['submit'];
}

/** A page with a form that changes one client, and the confirmation of what it does. */
export function clientForm({ path, action, view, submit }: ClientForm): Page {
  const access = 'recent';
  return defineAdminPage({
    path: `${clientList}/:client/${path}`,
    access,
    action,
    isOffered: hasClients,
    async show(call, attempt) {
      const client = await clientsOf(call).get(call.param('client'));
      if (!client) return notFound(call);
      return { ...formView(call, view(client, call, attempt), attempt), section: 'clients' };
    },
    forms: { '': { access, action, submit } },
  });
}
