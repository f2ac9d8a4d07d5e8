/** The second step of a sign-in; on the sign-in page, and where somebody signs in again. */
import { auth } from './auth.js';
import { get } from './dom.js';
import { onSubmit } from './forms.js';

export interface SignedIn {
  user: { id: string };
}

/**
 * @param id of the step that `pages/second-factor.ts` made.
 * @param entered is told who it was: where somebody signs in again, it may be somebody else.
 */
export function onSecondFactor(id: string, entered: (signedIn: SignedIn) => Promise<unknown>): void {
  onSubmit(get<HTMLFormElement>(`${id}-code`), async ({ code = '' }) => {
    await entered(await auth.mfa.verify({ code }));
  });
  onSubmit(get<HTMLFormElement>(`${id}-recovery`), async ({ recoveryCode = '' }) => {
    await entered(await auth.mfa.verify({ recoveryCode: recoveryCode.trim() }));
  });
}
