/** An invite to an organization, by the link in its mail. */
import { isServiceError } from '../../errors/service-error.js';
import { goTo, type Page } from '../page.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { isAccountHolder, sessionOf } from '../sign-in/signed-in.js';

export const joinPage: Page = {
  path: ({ join }) => join,
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const { base, context, features, paths, query, templates, texts } = visit;
    const token = attempt?.values.get('token') ?? query.get('token') ?? '';
    const { organization, role, email } = await features.orgs!.previewInvite(token, context);
    const here = `${base}${paths.join}?token=${encodeURIComponent(token)}`;
    const title = texts.join.title(organization.name);
    const body = templates.join(visit, {
      title,
      attempt,
      organization: organization.name,
      role,
      email,
      token,
      // An invite belongs to an address, which a guest does not have.
      isSignedIn: await isAccountHolder(visit),
      signInPath: `${paths.signIn}?next=${encodeURIComponent(here)}`,
    });
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const { features, homeUrl, paths, texts } = visit;
      const token = values.get('token') ?? '';
      const session = await sessionOf(visit);
      if (!session) return goTo(`${paths.join}?token=${encodeURIComponent(token)}`);
      try {
        await features.orgs!.acceptInvite(token, session.user.id);
      } catch (error) {
        if (isServiceError(error) && error.code === 'not_authorized')
          throw new FieldError('', texts.join.notYours);
        throw error;
      }
      return { to: homeUrl, isOutside: true };
    },
  },
};
