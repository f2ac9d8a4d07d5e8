/** Who may sign up if sign-up is closed: a visitor whom the link of an invitation has led here. */
import { isServiceError } from '../../errors/service-error.js';
import type { InvitePreview } from '../../providers/orgs/invites.js';
import type { View, Visit } from '../page.js';

/** Returns whether the pages offer a new account. Whether it is created, the sign-up policy decides. */
export async function canSignUp(visit: Visit): Promise<boolean> {
  return visit.features.isSignUpOpen || (await inviteOf(visit)) !== null;
}

/** Returns the invitation to which the sign-in leads back. Null without one, and if it is no longer valid. */
export async function inviteOf(visit: Visit): Promise<InvitePreview | null> {
  const { orgs } = visit.features;
  const token = inviteTokenIn(visit);
  if (orgs === null || token === null) return null;
  try {
    // Without a limit: the other visitors at an address must still see their invitations. A forged token costs no query.
    return await orgs.previewInvite(token);
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}

/** Returns the token of the invitation to which the sign-in leads back, valid or not. Null without one. */
export function inviteTokenIn({ base, flow, paths }: Visit): string | null {
  const { pathname, searchParams } = new URL(flow.next ?? '/', 'http://localhost');
  return pathname === base + paths.join ? searchParams.get('token') : null;
}

/** The page without a form. */
export function invitedOnlyView(visit: Visit): View {
  const { paths, templates, texts } = visit;
  const { invitedOnly: title, invitedOnlyLead: lead } = texts.notices;
  const links = [{ path: paths.signIn, label: texts.signIn.submit }];
  return { title, body: templates.message(visit, { title, lead, links, hasButton: true }) };
}
