/** Invites the addresses of a list, and says what has happened to each. */
import { isServiceError } from '../../errors/service-error.js';
import { html } from '../../html/html.js';
import { describeError } from '../../core/support/logger.js';
import { internals } from '../../core/internals.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { input, textArea } from '../../pages-kit/fields.js';
import { rolesOf } from '../actions/profile.js';
import { counted } from '../dates.js';
import { formPage } from '../form-page.js';
import type { Call, View } from '../page.js';
import { trailToUsers } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';
import { addressesIn, type ListedAddress } from './address-list.js';
import { resultPage } from './results.js';

const mostLines = 200;

type Outcome = keyof AdminTexts['operations']['inviteList']['outcomes'];

export const inviteListForm = formPage({
  path: '/users/invite-list',
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
    const results: [ListedAddress, Outcome][] = [];
    for (const each of lines) results.push([each, await outcomeOf(call, each, roles)]);
    return resultsOf(call, results);
  },
});

/** Invites no one who has an account: a list that is sent twice mails no one again. Never throws after the first invitation. */
async function outcomeOf(
  { by, service }: Call,
  { email, isRepeated }: ListedAddress,
  roles: string[],
): Promise<Outcome> {
  if (email === null) return 'invalid';
  if (isRepeated) return 'repeated';
  try {
    if (await service.users.find({ email })) return 'exists';
    await service.users.invite({ email, roles }, by);
    return 'invited';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // About every line: nothing has been sent yet.
    if (error.code === 'invalid_request' || error.code === 'provider_not_configured') throw error;
    if (error.code === 'email_exists') return 'exists';
    service[internals].logger.error(
      { event: 'invite_failed', err: describeError(error) },
      'an invitation of a list could not be sent',
    );
    return 'failed';
  }
}

function resultsOf(call: Call, results: readonly [ListedAddress, Outcome][]): View {
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
  });
}
