/** The forms that block and unblock a user. */
import { html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { input, select, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

const hourMs = 60 * 60_000;
/** Lengths need no time zone, unlike a date. */
const lengths: Record<string, number> = {
  '1h': hourMs,
  '1d': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
};
const lengthChoices = [
  ['', 'Until you unblock the user'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['time', 'Until a date'],
] as const;

export const blockForm = userForm({
  path: '/users/:id/block',
  action: 'users.block',
  view: (user, { me }, attempt) => ({
    title: 'Block user',
    trail: trailTo(user),
    lead: html`<strong><bdi>${nameOf(user)}</bdi></strong> is signed out everywhere and cannot sign in while
      blocked. API keys of this user stop working.`,
    warning:
      user.id === me.id && 'This is your own account. You will be signed out and cannot unblock yourself.',
    fields: [
      textArea({
        name: 'reason',
        label: 'Reason',
        optional: 'optional',
        hint: 'For administrators. The user never sees it.',
        value: attempt?.values.get('reason') ?? '',
        error: attempt?.errors.get('reason'),
      }),
      select({
        name: 'length',
        label: 'Duration',
        choices: lengthChoices,
        value: attempt?.values.get('length') ?? '',
        error: attempt?.errors.get('length'),
      }),
      input({
        name: 'until',
        type: 'datetime-local',
        label: 'End of the block (UTC)',
        optional: 'optional',
        value: attempt?.values.get('until') ?? '',
        error: attempt?.errors.get('until'),
      }),
    ],
    submit: 'Block user',
    isDestructive: true,
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    const reason = (form.get('reason') ?? '').trim().replaceAll('\r\n', '\n');
    const until = untilOf(form, service[internals].clock());
    await service.users.block(userId, { ...(reason && { reason }), until }, by);
    return withFlash(pathOf(userId), 'blocked');
  },
});

function untilOf(form: URLSearchParams, now: number): Date | null {
  const length = form.get('length') ?? '';
  const typed = form.get('until') ?? '';
  if (length === '') {
    if (typed !== '') throw new FieldError('length', 'Choose “Until a date”, or clear the end of the block.');
    return null;
  }
  const lengthMs = Object.hasOwn(lengths, length) ? lengths[length] : undefined;
  if (lengthMs !== undefined) return new Date(now + lengthMs);
  if (length !== 'time') throw new FieldError('length', 'Choose a duration.');
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(typed);
  const until = new Date(isTime ? `${typed}Z` : Number.NaN);
  if (Number.isNaN(until.getTime())) throw new FieldError('until', 'Enter the date and the time in UTC.');
  return until;
}

export const unblockForm = userForm({
  path: '/users/:id/unblock',
  action: 'users.unblock',
  view: (user) => ({
    title: 'Unblock user',
    trail: trailTo(user),
    lead: html`<strong><bdi>${nameOf(user)}</bdi></strong> can sign in again, and API keys of this user work
      again. Sessions that the block ended stay ended.`,
    submit: 'Unblock user',
    back: pathOf(user.id),
  }),
  async submit(_form, { service, userId, by }) {
    await service.users.unblock(userId, by);
    return withFlash(pathOf(userId), 'unblocked');
  },
});
