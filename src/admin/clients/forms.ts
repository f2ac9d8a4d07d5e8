/** The forms that register, change and remove clients, and their secrets. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { checkBox, input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { formView } from '../form-view.js';
import { defineAdminPage, type Call, type Page, type View } from '../page.js';
import { fact } from '../user/card.js';
import {
  clientForm,
  clientList,
  clientPath,
  clientsOf,
  hasClients,
  trailTo,
  trailToClients,
} from './client-page.js';

const value = (attempt: Attempt | null, name: string, current = '') => ({
  name,
  value: attempt?.values.get(name) ?? current,
  error: attempt?.errors.get(name),
});

function fieldsOf({ texts }: Call, attempt: Attempt | null, client?: RegisteredClient): Html[] {
  const words = texts.clients;
  return [
    input({
      ...value(attempt, 'name', client?.name),
      label: words.name,
      hint: words.nameHint,
      maxLength: 100,
      required: true,
    }),
    textArea({
      ...value(attempt, 'redirectUris', client?.redirectUris.join('\n')),
      label: words.redirects,
      hint: words.redirectsHint('https://partner.example/callback'),
      // A client that acts for itself has none.
      required: client?.redirectUris.length !== 0,
      isCode: true,
    }),
    input({
      ...value(attempt, 'uri', client?.uri ?? ''),
      label: words.page,
      optional: texts.optional,
      type: 'url',
    }),
  ];
}

function changesOf(form: URLSearchParams) {
  const lines = (form.get('redirectUris') ?? '').split('\n');
  return {
    name: form.get('name') ?? '',
    redirectUris: lines.map((line) => line.trim()).filter(Boolean),
    uri: (form.get('uri') ?? '').trim(),
  };
}

/** The only page that contains the secret. */
function secretView(call: Call, client: RegisteredClient, secret: string): View {
  const { id, secret: term, shownSecret } = call.texts.clients;
  const body = html`<div class="card form">
    <h1>${shownSecret.title}</h1>
    <p class="lead">${shownSecret.lead}</p>
    <dl class="facts about" id="secret">
      ${fact(id, html`<code>${client.id}</code>`)} ${fact(term, html`<code>${secret}</code>`)}
    </dl>
    <div class="buttons">
      <a class="button primary" href="${call.base}${clientPath(client.id)}">${shownSecret.done}</a>
    </div>
  </div>`;
  return {
    title: shownSecret.title,
    trail: trailTo(call, client),
    section: 'clients',
    body,
    width: 'narrow',
  };
}

const newClient = defineAdminPage({
  path: `${clientList}/new`,
  access: 'recent',
  action: 'oauthClients.create',
  isOffered: hasClients,
  async show(call, attempt) {
    const words = call.texts.clients;
    const view = formView(
      call,
      {
        title: words.register,
        trail: trailToClients(call),
        lead: words.newLead,
        fields: [
          ...fieldsOf(call, attempt),
          checkBox({
            name: 'confidential',
            label: words.confidential,
            hint: words.confidentialHint,
            isChecked: attempt?.values.has('confidential') ?? false,
          }),
        ],
        submit: words.register,
        back: clientList,
      },
      attempt,
    );
    return { ...view, section: 'clients' };
  },
  forms: {
    '': {
      access: 'recent',
      action: 'oauthClients.create',
      async submit(form, call) {
        const { uri, ...given } = changesOf(form);
        const input = { ...given, confidential: form.has('confidential'), ...(uri !== '' && { uri }) };
        const { client, secret } = await clientsOf(call).create(input, call.by);
        return secret === null
          ? withFlash(clientPath(client.id), 'client_created')
          : secretView(call, client, secret);
      },
    },
  },
});

const editForm = clientForm({
  path: 'edit',
  action: 'oauthClients.update',
  view: (client, call, attempt) => ({
    ...call.texts.clients.edit,
    trail: trailTo(call, client),
    fields: fieldsOf(call, attempt, client),
    back: clientPath(client.id),
  }),
  async submit(form, call) {
    const { name, redirectUris, uri } = changesOf(form);
    const id = call.param('client');
    const hasNone = redirectUris.length === 0 && (await clientsOf(call).get(id))?.redirectUris.length === 0;
    const changes = { name, ...(!hasNone && { redirectUris }), uri: uri === '' ? null : uri };
    await clientsOf(call).update(id, changes, call.by);
    return withFlash(clientPath(id), 'client_saved');
  },
});

const addSecretForm = clientForm({
  path: 'secrets/new',
  action: 'oauthClients.addSecret',
  view: (client, call) => ({
    ...call.texts.clients.addSecret,
    trail: trailTo(call, client),
    submit: call.texts.clients.addSecret.title,
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    const added = await clientsOf(call).addSecret(call.param('client'), call.by);
    return added ? secretView(call, added.client, added.secret) : clientList;
  },
});

const removeSecretForm = clientForm({
  path: 'secrets/:secret/remove',
  action: 'oauthClients.removeSecret',
  view: (client, call) => ({
    ...call.texts.clients.removeSecret,
    trail: trailTo(call, client),
    fields: [
      html`<dl class="facts about">
        ${fact(call.texts.clients.secret, html`<code>${call.param('secret')}</code>`)}
      </dl>`,
    ],
    submit: call.texts.clients.removeSecret.title,
    isDestructive: true,
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    const id = call.param('client');
    await clientsOf(call).removeSecret(id, call.param('secret'), call.by);
    return withFlash(clientPath(id), 'secret_removed');
  },
});

const removeForm = clientForm({
  path: 'remove',
  action: 'oauthClients.remove',
  view: (client, call) => ({
    title: call.texts.clients.removal.title,
    trail: trailTo(call, client),
    lead: call.texts.clients.removal.lead,
    fields: [
      html`<dl class="facts about">
        ${fact(call.texts.clients.client, html`<bdi class="strong">${client.name}</bdi>`)}
      </dl>`,
    ],
    submit: call.texts.clients.removal.title,
    isDestructive: true,
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    await clientsOf(call).remove(call.param('client'), call.by);
    return withFlash(clientList, 'client_removed');
  },
});

// The fixed paths before those with a parameter.
export const clientForms: readonly Page[] = [
  newClient,
  editForm,
  addSecretForm,
  removeSecretForm,
  removeForm,
];
