/** A page that makes one change. */
import type { AdminAction } from '../http/admin-permission.js';
import type { Attempt } from '../pages-kit/attempt.js';
import { formView } from './form-view.js';
import { defineAdminPage, type AdminForm, type Call, type FormView, type Page } from './page.js';

/** A page with a form, which is also the confirmation of what it does. It posts to its own path. */
export interface FormPage<Subject> {
  path: string;
  action: AdminAction;
  /** Reads what the form is about: one call of the service. */
  read(call: Call): Promise<Subject>;
  view(subject: Subject, call: Call, attempt: Attempt | null): FormView;
  submit: AdminForm['submit'];
}

/**
 * Every form is a change as those of the admin router, and has their access. It is checked when the form is opened too, so that nothing
 * that is typed into it is lost.
 */
export function formPage<Subject>(page: FormPage<Subject>): Page {
  const { path, action } = page;
  const access = 'recent';
  return defineAdminPage({
    path,
    access,
    action,
    show: async (call, attempt) => formView(call, page.view(await page.read(call), call, attempt), attempt),
    forms: { '': { access, action, submit: (form, call) => page.submit(form, call) } },
  });
}
