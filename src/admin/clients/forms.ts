/** The forms that register, change and remove clients, and their secrets. */
import type { RegisteredClient } from '../../domain/registered-client.js';
import { html, type Html } from '../../html/html.js';
import { isServiceError } from '../../errors/service-error.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';
import { checkBox, input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { formView } from '../form-view.js';
import { defineAdminPage, type Page, type View } from '../page.js';
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

function fieldsOf(attempt: Attempt | null, client?: RegisteredClient): Html[] {
  return [
    input({
      ...value(attempt, 'name', client?.name),
      label: 'Name',
      hint: 'Users read it when the client asks for access.',
      maxLength: 100,
      required: true,
    }),
    textArea({
      ...value(attempt, 'redirectUris', client?.redirectUris.join('\n')),
      label: 'Redirect addresses',
      hint: 'Exact addresses, each on a line, such as https://partner.example/callback.',
      // A client that acts for itself has none.
      required: client?.redirectUris.length !== 0,
      isCode: true,
    }),
    input({ ...value(attempt, 'uri', client?.uri ?? ''), label: 'Page', optional: 'optional', type: 'url' }),
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
function secretView(client: RegisteredClient, secret: string, base: string): View {
  const body = html`<div class="card form">
    <h1>Client secret</h1>
    <p class="lead">Copy the secret now. It is not shown again.</p>
    <dl class="facts about" id="secret">
      ${fact('Client id', html`<code>${client.id}</code>`)} ${fact('Secret', html`<code>${secret}</code>`)}
    </dl>
    <div class="buttons"><a class="button primary" href="${base}${clientPath(client.id)}">Done</a></div>
  </div>`;
  return { title: 'Client secret', trail: trailTo(client), section: 'clients', body, width: 'narrow' };
}

const newClient = defineAdminPage({
  path: `${clientList}/new`,
  access: 'recent',
  action: 'oauthClients.create',
  isOffered: hasClients,
  async show(call, attempt) {
    const view = formView(
      call,
      {
        title: 'Register client',
        trail: trailToClients,
        lead: 'An application that may ask users for access to their accounts.',
        fields: [
          ...fieldsOf(attempt),
          checkBox({
            name: 'confidential',
            label: 'It runs on a server and keeps a secret',
            hint: 'The secret is shown once. Apps, command lines and pages keep none.',
            isChecked: attempt?.values.has('confidential') ?? false,
          }),
        ],
        submit: 'Register client',
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
          : secretView(client, secret, call.base);
      },
    },
  },
});

const editForm = clientForm({
  path: 'edit',
  action: 'oauthClients.update',
  view: (client, _call, attempt) => ({
    title: 'Change client',
    trail: trailTo(client),
    lead: 'What users have given it stays.',
    fields: fieldsOf(attempt, client),
    submit: 'Save client',
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
  view: (client) => ({
    title: 'Add secret',
    trail: trailTo(client),
    lead: 'Both secrets are accepted until you remove one of them.',
    submit: 'Add secret',
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    const added = await explained(clientsOf(call).addSecret(call.param('client'), call.by));
    return added ? secretView(added.client, added.secret, call.base) : clientList;
  },
});

const removeSecretForm = clientForm({
  path: 'secrets/:secret/remove',
  action: 'oauthClients.removeSecret',
  view: (client, { param }) => ({
    title: 'Remove secret',
    trail: trailTo(client),
    lead: 'Programs that use this secret are refused at once. This cannot be undone.',
    fields: [html`<dl class="facts about">${fact('Secret', html`<code>${param('secret')}</code>`)}</dl>`],
    submit: 'Remove secret',
    isDestructive: true,
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    const id = call.param('client');
    await explained(clientsOf(call).removeSecret(id, call.param('secret'), call.by));
    return withFlash(clientPath(id), 'secret_removed');
  },
});

const removeForm = clientForm({
  path: 'remove',
  action: 'oauthClients.remove',
  view: (client) => ({
    title: 'Remove client',
    trail: trailTo(client),
    lead: 'The client and everything that users have given it end at once. This cannot be undone.',
    fields: [
      html`<dl class="facts about">${fact('Client', html`<bdi class="strong">${client.name}</bdi>`)}</dl>`,
    ],
    submit: 'Remove client',
    isDestructive: true,
    back: clientPath(client.id),
  }),
  async submit(_form, call) {
    await clientsOf(call).remove(call.param('client'), call.by);
    return withFlash(clientList, 'client_removed');
  },
});

/** The form says why a change of secrets is refused. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
    throw new FieldError('', error.message);
  }
}

// The fixed paths before those with a parameter.
export const clientForms: readonly Page[] = [
  newClient,
  editForm,
  addSecretForm,
  removeSecretForm,
  removeForm,
];
