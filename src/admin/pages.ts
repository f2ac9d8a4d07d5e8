/** Every page, in the order in which paths are compared. */
import { deleteForm, impersonateForm, signOutForm } from './actions/account.js';
import { auditCsv } from './audit/csv.js';
import { auditList } from './audit/list.js';
import { bulkForms } from './bulk/forms.js';
import { inviteListForm } from './bulk/invite-list.js';
import { lockdownForm } from './lockdown/form.js';
import { blockForm, unblockForm } from './actions/block.js';
import { metadataForm } from './actions/metadata.js';
import { clientForms } from './clients/forms.js';
import { clientList } from './clients/list.js';
import { clientPage } from './clients/show.js';
import { nameForm } from './actions/name.js';
import { createForm, inviteForm } from './actions/new-users.js';
import { addressForm, passwordForm, rolesForm, usernameForm, verifyForm } from './actions/profile.js';
import { removals } from './actions/removals.js';
import { overviewCsv, overviewPage } from './overview/show.js';
import type { Page } from './page.js';
import { userPage } from './user/show.js';
import { usersCsv } from './users/csv.js';
import { userList } from './users/list.js';

export const pages: readonly Page[] = [
  userList,
  // Before `/:id`, which would match them.
  usersCsv,
  createForm,
  inviteForm,
  inviteListForm,
  ...bulkForms,
  lockdownForm,
  userPage,
  blockForm,
  unblockForm,
  signOutForm,
  nameForm,
  addressForm,
  verifyForm,
  usernameForm,
  rolesForm,
  passwordForm,
  metadataForm,
  impersonateForm,
  deleteForm,
  ...removals,
  overviewPage,
  overviewCsv,
  clientList,
  ...clientForms,
  clientPage,
  auditList,
  auditCsv,
];
