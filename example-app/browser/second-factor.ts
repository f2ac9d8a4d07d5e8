/** The second step of a sign-in, on the sign-in page and in the dialog that asks the user to sign in again. */
import { auth } from './auth.js';
import { get } from './dom.js';
import { onSubmit } from './forms.js';

export interface SignedIn {
  user: { id: string };
}

/**
 * @param id of the step that `pages/second-factor.ts` rendered.
 * @param onSignedIn receives the user, who may differ from the one who was signed in before.
 */
export function onSecondFactor(id: string, onSignedIn: (signedIn: SignedIn) => Promise<unknown>): void {
  onSubmit(get<HTMLFormElement>(`${id}-code`), async ({ code = '' }) => {
    await onSignedIn(await auth.mfa.verify({ code }));
  });
  onSubmit(get<HTMLFormElement>(`${id}-recovery`), async ({ recoveryCode = '' }) => {
    await onSignedIn(await auth.mfa.verify({ recoveryCode: recoveryCode.trim() }));
  });
}
