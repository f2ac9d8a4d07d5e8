/** The second step of a sign-in; on the sign-in page, and where somebody signs in again. */
import { auth } from './auth.js';
import { get } from './dom.js';
import { onSubmit } from './forms.js';

/** @param id of the step that `pages/second-factor.ts` made. */
export function onSecondFactor(id: string, entered: () => Promise<unknown> | void): void {
  onSubmit(get<HTMLFormElement>(`${id}-code`), async ({ code = '' }) => {
    await auth.mfa.verify({ code });
    await entered();
  });
  onSubmit(get<HTMLFormElement>(`${id}-recovery`), async ({ recoveryCode = '' }) => {
    await auth.mfa.verify({ recoveryCode: recoveryCode.trim() });
    await entered();
  });
}
