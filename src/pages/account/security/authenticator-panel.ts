/** Two-factor authentication: the authenticator app and the recovery codes. */
import type { Html } from '../../../html/html.js';
import { at, type ShownVisit } from '../page.js';
import { badge, dotted, linkButton, panel, row } from '../parts.js';

export async function authenticatorPanel(visit: ShownVisit): Promise<Html | null> {
  const { context, me, offers, record, words } = visit;
  if (!offers.totp || record.isGuest) return null;
  const { authenticator, recovery } = words;
  const id = 'two-factor';
  if (!record.twoFactor)
    return panel({
      id,
      title: authenticator.title,
      lead: authenticator.lead,
      action: linkButton(visit, {
        path: at(visit, '/security/authenticator'),
        label: authenticator.setUp,
        about: authenticator.app,
      }),
    });
  const { recoveryCodesLeft } = await offers.totp.state(me.id, context);
  const rows = [
    row({
      title: [authenticator.app, ' ', badge(authenticator.on, 'good')],
      actions: [
        linkButton(visit, {
          path: at(visit, '/security/authenticator'),
          label: authenticator.replace,
          about: authenticator.app,
        }),
        linkButton(visit, {
          path: at(visit, '/security/authenticator/turn-off'),
          label: authenticator.turnOff,
          about: authenticator.title,
        }),
      ],
    }),
    row({
      title: recovery.title,
      detail: dotted(recovery.left(recoveryCodesLeft), recovery.lead),
      actions: linkButton(visit, {
        path: at(visit, '/security/recovery-codes'),
        label: recovery.replace,
        about: recovery.title,
      }),
    }),
  ];
  return panel({ id, title: authenticator.title, lead: authenticator.lead, rows });
}
