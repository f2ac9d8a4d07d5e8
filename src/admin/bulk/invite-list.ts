/** Invites the addresses of a list, and says what has happened to each. */
import { html, type Html } from '../../html/html.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { input, textArea } from '../../pages-kit/fields.js';
import { rolesOf } from '../actions/profile.js';
import { formPage } from '../form-page.js';
import type { Call, View } from '../page.js';
import { trailToUsers } from '../person.js';
import { tokenField } from '../../pages-kit/session-form.js';
import { counted } from '../../pages-kit/numbers.js';
import { addressesIn, type ListedAddress } from './address-list.js';
import { inviteAll, type InviteOutcome } from './invite-all.js';
import { resultPage } from './results.js';

const mostLines = 200;
const path = '/users/invite-list';

export const inviteListForm = formPage({
  path,
  action: 'users.invite',
  read: async () => null,
  view(_subject, { texts }, attempt) {
    const { actions, operations, optional } = texts;
    const words = operations.inviteList;
    const text = (name: string) => ({
      name,
      value: attempt?.values.get(name) ?? '',
      error: attempt?.errors.get(name),
    });
    return {
      title: words.title,
      trail: trailToUsers(texts),
      lead: words.lead,
      fields: [
        textArea({
          ...text('addresses'),
          label: words.addresses,
          hint: words.addressesHint,
          rows: 10,
          required: true,
          isCode: true,
        }),
        input({
          ...text('roles'),
          label: actions.roles,
          optional,
          hint: actions.rolesHint('support billing'),
        }),
      ],
      submit: words.submit,
      back: '/users',
    };
  },
  async submit(form, call) {
    const { missing, tooMany } = call.texts.operations.inviteList;
    const lines = addressesIn(form.get('addresses') ?? '');
    if (lines.length === 0) throw new FieldError('addresses', missing);
    if (lines.length > mostLines) throw new FieldError('addresses', tooMany);
    const roles = rolesOf(form);
    return resultsOf(call, await inviteAll(call, lines, roles), form.get('roles') ?? '');
  },
});

type Result = readonly [ListedAddress, InviteOutcome];

function resultsOf(call: Call, results: readonly Result[], roles: string): View {
  const { language, texts } = call;
  const words = texts.operations.inviteList;
  const sent = results.filter(([, outcome]) => outcome === 'invited').length;
  return resultPage(call, {
    title: words.title,
    text: words.invited(counted(language, sent)),
    label: words.addresses,
    heading: words.line,
    lines: results.map(([{ line, email }, outcome]) => ({
      who: html`<bdi>${email ?? line}</bdi>`,
      outcome: words.outcomes[outcome],
    })),
    next: again(call, results, roles),
  });
}

/** A form with the addresses that got no invitation and could get one. */
function again({ base, formToken, texts }: Call, results: readonly Result[], roles: string): Html | false {
  const rest = results.filter(([, outcome]) => outcome === 'failed' || outcome === 'notDone');
  const addresses = rest.map(([{ email }]) => email).join('\n');
  return (
    rest.length > 0 &&
    html`<form method="post" action="${base}${path}">
      <input type="hidden" name="${tokenField}" value="${formToken}" />
      <input type="hidden" name="addresses" value="${addresses}" />
      <input type="hidden" name="roles" value="${roles}" />
      <button class="primary">${texts.operations.inviteList.again}</button>
    </form>`
  );
}
