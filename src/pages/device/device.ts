/** The page on which users enter the code of a device, and decide what it may do for them (RFC 8628, 3.3). */
import type { DeviceDesk, DeviceRequest } from '../../core/internals.js';
import type { LiveSession } from '../../core/sessions/session-checks.js';
import { endBrowserSession } from '../../http/signed-in.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';
import { scopesInWords, stepBefore } from '../consent/shared.js';
import { definePage, goTo, type Next, type SessionVisit, type View, type Visit } from '../page.js';
import { accountHolderOf } from '../sign-in/signed-in.js';

type Decision = 'allowed' | 'denied';

export const devicePage = definePage({
  path: ({ device }) => device,
  access: 'open',
  isOffered: ({ consents }) => consents.devices !== undefined,
  async show(visit, attempt) {
    const { features, query } = visit;
    const decision = query.get('done');
    if (decision === 'allowed' || decision === 'denied') return doneView(visit, decision);
    const code = attempt?.values.get('code') ?? query.get('code') ?? '';
    const caller = await accountHolderOf(visit);
    if (!caller) return goTo(signInPath(visit, code));
    const { session } = caller;
    const step = stepBefore(visit, pathOf(visit, code), session, null);
    if (step) return step;
    // Only a code that this account has entered is shown: the address alone, which anyone can send, enters none.
    const request = attempt ? null : await features.consents.devices!.open(code, session.user.id);
    return request ? decisionView(visit, request, session) : entryView(visit, code, attempt);
  },
  forms: {
    enter: {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, features, session, texts } = visit;
        const code = values.get('code') ?? '';
        const step = await stepFor(visit, code);
        if (step) return step;
        if (!(await features.consents.devices!.enter(code, session.user.id, context.ip)))
          throw new FieldError('code', texts.device.unknown);
        return goTo(pathOf(visit, code));
      },
    },
    allow: {
      access: 'no-impersonation',
      submit: (values, visit) =>
        decide(values, visit, 'allowed', (desk, code) => desk.allow(code, visit.session)),
    },
    deny: {
      access: 'no-impersonation',
      submit: (values, visit) =>
        decide(values, visit, 'denied', (desk, code) => desk.deny(code, visit.session.user.id)),
    },
    /** Signs out, and leads to the sign-in and back. */
    change: {
      access: 'open',
      async submit(values, visit) {
        const { features, req, res, service } = visit;
        const code = values.get('code') ?? '';
        const caller = await accountHolderOf(visit);
        if (caller) await features.consents.devices!.release(code, caller.session.user.id);
        await endBrowserSession(service, req, res);
        visit.keep({ email: undefined });
        return goTo(signInPath(visit, code));
      },
    },
  },
});

/** A guest signs up first, and a user verifies the address if that is required. */
async function stepFor(visit: SessionVisit, code: string): Promise<Next | null> {
  if (!(await accountHolderOf(visit))) return goTo(signInPath(visit, code));
  return stepBefore(visit, pathOf(visit, code), visit.session, null);
}

/** Does what the user has decided, unless the browser has become another user's since the page was shown. */
async function decide(
  values: URLSearchParams,
  visit: SessionVisit,
  decision: Decision,
  act: (desk: DeviceDesk, code: string) => Promise<boolean>,
): Promise<Next> {
  const code = values.get('code') ?? '';
  const { features, paths, session, texts } = visit;
  if (values.get('user') !== session.user.id) return goTo(pathOf(visit, code));
  const step = await stepFor(visit, code);
  if (step) return step;
  if (await act(features.consents.devices!, code)) return goTo(`${paths.device}?done=${decision}`);
  throw new FieldError('code', texts.device.unknown);
}

function entryView(visit: Visit, code: string, attempt: Attempt | null): View {
  const { templates, texts } = visit;
  const { title } = texts.device;
  const view = { title, attempt, step: 'enter', code, request: null, user: null } as const;
  return { title, body: templates.device(visit, view) };
}

function decisionView(visit: Visit, { client, code, scopes }: DeviceRequest, { user }: LiveSession): View {
  const { templates, texts } = visit;
  const title = texts.consent.title(client.host ?? client.name);
  const body = templates.device(visit, {
    ...{ title, attempt: null, step: 'decide', code },
    request: { client, scopes: scopesInWords(scopes, texts) },
    user: { id: user.id, email: user.email ?? '' },
  });
  return { title, body };
}

function doneView(visit: Visit, decision: Decision): View {
  const { title, lead } = visit.texts.device[decision];
  return { title, body: visit.templates.message(visit, { title, lead, links: [] }) };
}

function pathOf({ paths }: Visit, code: string): string {
  return code === '' ? paths.device : `${paths.device}?code=${encodeURIComponent(code)}`;
}

function signInPath(visit: Visit, code: string): string {
  return `${visit.paths.signIn}?next=${encodeURIComponent(visit.base + pathOf(visit, code))}`;
}
