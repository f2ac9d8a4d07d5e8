/** The API keys of an organization: a new one, and the end of one. */
import { atLeast } from '../../../domain/org.js';
import { everyRow } from '../list.js';
import { defineAccountPage, done, type AccountPage } from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { removal } from '../removal.js';
import { newKeyPage } from '../tokens/new-key.js';
import { parentOf } from './members.js';
import { inOrganization, membershipIn } from './organization.js';

const anyKeyPage = newKeyPage({
  section: 'organizations',
  path: '/organizations/:org/keys/new',
  isOffered: ({ apiKeys, orgs }) => apiKeys !== null && orgs !== null,
  ownerOf: ({ param }) => ({ orgId: param('org') }),
  parent: parentOf,
});

/** Only admins see the form. */
const createPage = defineAccountPage({
  ...anyKeyPage,
  async show(visit, attempt) {
    const found = await membershipIn(visit);
    if (!found || !atLeast(found.membership.role, 'admin')) return notFoundView(visit);
    return anyKeyPage.show(visit, attempt);
  },
});

const revokePage = removal({
  section: 'organizations',
  path: '/organizations/:org/keys/:key/revoke',
  access: 'recent',
  isOffered: ({ apiKeys, orgs }) => apiKeys !== null && orgs !== null,
  words: ({ words: { tokens } }) => ({
    title: tokens.revokeTitle,
    lead: tokens.revokeLead,
    submit: tokens.revokeSubmit,
  }),
  parent: parentOf,
  async find(visit) {
    const { actor, offers, param } = visit;
    const found = await membershipIn(visit);
    if (!found || !atLeast(found.membership.role, 'admin')) return undefined;
    const { apiKeys } = await offers.apiKeys!.list({ orgId: param('org') }, actor, everyRow);
    return apiKeys.find(({ id, revokedAt }) => id === param('key') && revokedAt === null)?.name;
  },
  async remove(visit) {
    const { actor, offers, param } = visit;
    await offers.apiKeys!.revoke(param('key'), { orgId: param('org'), ...actor });
    return done(visit, inOrganization(visit), 'keyRevoked');
  },
});

export const organizationKeyPages: readonly AccountPage[] = [createPage, revokePage];
