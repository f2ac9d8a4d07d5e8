/** The forms that block and unblock a user. */
import { html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { input, select, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { pathOf, strongName, trailTo } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';
import { instantIn, isZone, zoneName } from '../time-zone.js';
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
const lengthChoices = ({ actions: { block } }: AdminTexts) =>
  [
    ['', block.forever],
    ['1h', block.hour],
    ['1d', block.day],
    ['7d', block.week],
    ['30d', block.month],
    ['time', block.date],
  ] as const;

export const blockForm = userForm({
  path: '/users/:id/block',
  action: 'users.block',
  view(user, call, attempt) {
    const { me, texts, zone } = call;
    const { block, reasonLabel } = texts.actions;
    return {
      title: block.title,
      trail: trailTo(call, user),
      lead: block.lead(strongName(texts, user)),
      warning: user.id === me.id && block.own,
      fields: [
        textArea({
          name: 'reason',
          label: reasonLabel,
          optional: texts.optional,
          hint: block.reasonHint,
          value: attempt?.values.get('reason') ?? '',
          error: attempt?.errors.get('reason'),
        }),
        select({
          name: 'length',
          label: block.duration,
          choices: lengthChoices(texts),
          value: attempt?.values.get('length') ?? '',
          error: attempt?.errors.get('length'),
        }),
        input({
          name: 'until',
          type: 'datetime-local',
          label: html`${block.until(zoneName(zone))}`,
          optional: texts.optional,
          value: attempt?.values.get('until') ?? '',
          error: attempt?.errors.get('until'),
        }),
        // The one that the label names, whatever the cookie says when the form is sent.
        html`<input type="hidden" name="zone" value="${zone}" data-zone />`,
      ],
      submit: block.title,
      isDestructive: true,
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, texts, userId, by }) {
    const reason = (form.get('reason') ?? '').trim().replaceAll('\r\n', '\n');
    const until = untilOf(form, texts, service[internals].clock());
    await service.users.block(userId, { ...(reason && { reason }), until }, by);
    return withFlash(pathOf(userId), 'blocked');
  },
});

function untilOf(form: URLSearchParams, { errors }: AdminTexts, now: number): Date | null {
  const length = form.get('length') ?? '';
  const typed = form.get('until') ?? '';
  if (length === '') {
    if (typed !== '') throw new FieldError('length', errors.untilUnused);
    return null;
  }
  const lengthMs = Object.hasOwn(lengths, length) ? lengths[length] : undefined;
  if (lengthMs !== undefined) return new Date(now + lengthMs);
  if (length !== 'time') throw new FieldError('length', errors.duration);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(typed);
  const until = new Date(isTime ? `${typed}Z` : Number.NaN);
  if (Number.isNaN(until.getTime())) throw new FieldError('until', errors.untilMissing);
  const zone = form.get('zone');
  return instantIn(isZone(zone) ? zone : 'UTC', until);
}

export const unblockForm = userForm({
  path: '/users/:id/unblock',
  action: 'users.unblock',
  view(user, call) {
    const { unblock } = call.texts.actions;
    return {
      title: unblock.title,
      trail: trailTo(call, user),
      lead: unblock.lead(strongName(call.texts, user)),
      submit: unblock.title,
      back: pathOf(user.id),
    };
  },
  async submit(_form, { service, userId, by }) {
    await service.users.unblock(userId, by);
    return withFlash(pathOf(userId), 'unblocked');
  },
});
