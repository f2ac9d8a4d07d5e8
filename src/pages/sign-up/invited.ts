/** Who may sign up if sign-up is closed: a visitor whom the link of an invitation has led here. */
import { isServiceError } from '../../errors/service-error.js';
import type { View, Visit } from '../page.js';

/** Returns whether the pages offer a new account. Whether it is created, the sign-up policy decides. */
export async function canSignUp(visit: Visit): Promise<boolean> {
  return visit.features.isSignUpOpen || (await inviteOf(visit)) !== null;
}

interface Invitation {
  token: string;
  /** Masked. */
  email: string;
}

/** Returns the invitation to which the sign-in leads back. Null without one, and if it is no longer valid. */
export async function inviteOf({ base, context, features, flow, paths }: Visit): Promise<Invitation | null> {
  if (features.orgs === null || flow.next === undefined) return null;
  const { pathname, searchParams } = new URL(flow.next, 'http://localhost');
  const token = searchParams.get('token');
  if (pathname !== base + paths.join || token === null) return null;
  try {
    const { email } = await features.orgs.previewInvite(token, context);
    return { token, email };
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}

/** The page without a form. */
export function invitedOnlyView(visit: Visit): View {
  const { paths, templates, texts } = visit;
  const { invitedOnly: title, invitedOnlyLead: lead } = texts.notices;
  const links = [{ path: paths.signIn, label: texts.signIn.submit }];
  return { title, body: templates.message(visit, { title, lead, links, hasButton: true }) };
}
