/** A form about one user. */
import type { UserRecord } from '../../domain/user-record.js';
import { formPage, type FormPage } from '../form-page.js';
import type { Page } from '../page.js';

/** Creates a form whose subject is the user in the path. */
export function userForm(page: Omit<FormPage<UserRecord>, 'read'>): Page {
  return formPage({ ...page, read: ({ service, userId }) => service.users.get(userId) });
}
