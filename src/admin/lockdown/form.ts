/** Ends every session of everyone, of the members of an organization, or of a user. */
import { isServiceError } from '../../errors/service-error.js';
import { html } from '../../html/html.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { checkBox, input, select } from '../../pages-kit/fields.js';
import { counted } from '../../pages-kit/numbers.js';
import { formPage } from '../form-page.js';
import type { Call, View } from '../page.js';
import { trailToUsers } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';

/** What must be typed in: in no language, so that it is as in the log and on the command line. */
const phrase = 'lockdown';

const scopes = ['user', 'organization', 'everyone'] as const;
type Scope = (typeof scopes)[number];

export const lockdownForm = formPage({
  path: '/lockdown',
  action: 'lockdown',
  read: async () => null,
  view(_subject, { query, texts }, attempt) {
    const words = texts.operations.lockdown;
    const asked = query.has('orgId') ? 'organization' : 'user';
    return {
      title: words.title,
      trail: trailToUsers(texts),
      lead: words.lead,
      fields: [
        select({
          name: 'scope',
          label: words.whom,
          choices: scopes.map((scope) => [scope, words[scope]]),
          value: attempt?.values.get('scope') ?? asked,
        }),
        input({
          name: 'target',
          label: words.id,
          optional: texts.optional,
          value: attempt?.values.get('target') ?? query.get('userId') ?? query.get('orgId') ?? '',
          error: attempt?.errors.get('target'),
          maxLength: 36,
        }),
        checkBox({
          name: 'apiKeys',
          label: words.apiKeys,
          hint: words.apiKeysHint,
          isChecked: attempt?.values.has('apiKeys') ?? false,
        }),
        input({
          name: 'confirmation',
          label: texts.actions.delete.confirm(phrase),
          value: attempt?.values.get('confirmation') ?? '',
          error: attempt?.errors.get('confirmation'),
          required: true,
        }),
      ],
      submit: words.submit,
      isDestructive: true,
      back: '/users',
    };
  },
  async submit(form, call) {
    const { by, service, texts } = call;
    const { lockdown: words } = texts.operations;
    const scope = scopes.find((each) => each === form.get('scope'));
    const target = (form.get('target') ?? '').trim();
    if (scope === undefined || (scope !== 'everyone' && target === ''))
      throw new FieldError('target', words.idMissing);
    // An id next to everyone is more likely a mistake.
    if (scope === 'everyone' && target !== '') throw new FieldError('target', words.noId);
    if (form.get('confirmation')?.trim() !== phrase)
      throw new FieldError('confirmation', texts.errors.phrase);
    const whom = { user: { userId: target }, organization: { orgId: target }, everyone: {} }[scope];
    try {
      const { users } = await service.lockdown({ ...whom, apiKeys: form.has('apiKeys') }, by);
      return resultPage(call, scope, target, users);
    } catch (error) {
      const isUnknown =
        isServiceError(error) && ['user_not_found', 'org_error', 'invalid_request'].includes(error.code);
      throw isUnknown ? new FieldError('target', words.notFound) : error;
    }
  },
});

function resultPage(
  { base, language, me, texts }: Call,
  scope: Scope,
  target: string,
  users: number | null,
): View {
  const words = texts.operations.lockdown;
  const text = users === null ? words.doneEveryone : words.doneUsers(counted(language, users));
  const own = ownSession(words, scope, target === me.id);
  const body = html`<div class="card form">
    <h1>${words.done}</h1>
    <p class="lead" role="status">${text} ${own}</p>
    <p class="buttons"><a class="button" href="${base}/users">${texts.errors.toUsers}</a></p>
  </div>`;
  return { title: words.done, trail: trailToUsers(texts), body, width: 'narrow' };
}

function ownSession(
  words: AdminTexts['operations']['lockdown'],
  scope: Scope,
  isMe: boolean,
): string | false {
  if (scope === 'organization') return words.maybeOwn;
  return (scope === 'everyone' || isMe) && words.own;
}
