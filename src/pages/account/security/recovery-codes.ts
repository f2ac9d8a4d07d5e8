/** The recovery codes: shown once, to be printed, copied or downloaded, and replaced. */
import { changeBody } from '../change.js';
import { continueVisit } from '../continue-session.js';
import { notFoundView } from '../refusal-views.js';
import { at, defineAccountPage, type AccountView, type AccountVisit } from '../page.js';

export const recoveryCodesPage = defineAccountPage({
  section: 'security',
  path: '/security/recovery-codes',
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show(visit) {
    const { record, words } = visit;
    const { recovery } = words;
    if (!record.twoFactor) return notFoundView(visit);
    const body = changeBody(visit, {
      lead: recovery.replaceLead,
      form: {
        action: at(visit, '/security/recovery-codes'),
        submit: recovery.replaceSubmit,
        cancel: at(visit, '/security'),
      },
    });
    return { title: recovery.replaceTitle, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(_values, visit) {
        const { context, me, offers } = visit;
        const options = { ...context, startSession: true } as const;
        const changed = await offers.totp!.regenerateRecoveryCodes(me.id, options);
        continueVisit(visit, changed);
        return recoveryCodesView(visit, changed.recoveryCodes, { isNew: false });
      },
    },
  },
});

/** Instead of codes that were shown before: they are stored as hashes only. */
export function lostCodesView(visit: AccountVisit): AccountView {
  const { words } = visit;
  const { recovery } = words;
  const body = changeBody(visit, {
    lead: recovery.shownOnce,
    note: recovery.replaceLead,
    form: {
      action: at(visit, '/security/recovery-codes'),
      submit: recovery.replaceSubmit,
      cancel: at(visit, '/security'),
    },
  });
  return { title: recovery.title, parent: parentOf(visit), body };
}

/**
 * Shows new codes. The download is a `data:` link: it works without a script, and the server never gets the codes again.
 * @param options.isNew whether the second factor was turned on with them.
 */
export function recoveryCodesView(
  visit: AccountVisit,
  codes: readonly string[],
  { isNew }: { isNew: boolean },
): AccountView {
  const { me, name, templates, words } = visit;
  const owner = me.email ?? me.id;
  const file = [`${name} · ${owner}`, '', ...codes, ''].join('\r\n');
  const downloadUrl = `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`;
  const body = templates.accountRecoveryCodes(visit, { codes, isNew, owner, downloadUrl });
  return { title: words.recovery.save, parent: parentOf(visit), body };
}

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });
