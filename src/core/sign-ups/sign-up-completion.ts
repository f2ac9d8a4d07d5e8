/** Creates the account of a proven sign-up when its fields arrive (docs/decisions/sign-up-fields.md). */
import * as z from 'zod';
import { toPersonProfile } from '../../domain/identity.js';
import { EmailExistsError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { insertWithIdentity } from '../sessions/new-user.js';
import { parseContext, type RequestContext } from '../sessions/request-context.js';
import type { SignInResult } from '../sessions/sign-in-result.js';
import { userCreated, type SignIn } from '../sessions/sign-in.js';
import type { Changes } from '../support/changes.js';
import type { Clock } from '../support/clock.js';
import { parseInput } from '../support/input.js';
import { fieldsInput } from '../support/input-types.js';
import { withFieldsOf, type SignUpPolicy } from './sign-up-policy.js';
import type { UnfinishedSignUps } from './unfinished-sign-ups.js';

export const completeSignUpInput = lazily(() => z.object({ token: z.string(), fields: fieldsInput() }));

export class SignUpCompletion {
  constructor(
    private readonly storage: Pick<StorageAdapter, 'identities'>,
    private readonly changes: Changes,
    private readonly signIn: SignIn,
    private readonly signUps: SignUpPolicy,
    private readonly unfinished: UnfinishedSignUps,
    private readonly clock: Clock,
  ) {}

  async complete(input: unknown, context: RequestContext): Promise<SignInResult> {
    const { token, fields: sent } = parseInput(completeSignUpInput, input);
    context = parseContext(context);
    this.signUps.assertFields();
    const digest = this.unfinished.open(token);
    const { signUp, remember } = await this.unfinished.find(digest);
    if (remember === false) context = { ...context, remember };
    // Before the token is consumed: the user corrects the fields.
    const fields = await this.signUps.parseFields(sent);
    const metadata = withFieldsOf(signUp, fields);
    await this.unfinished.take(digest);
    const user = await this.signUps.newUser({ ...signUp, fields, metadata }, context);
    // An account that has been created in the meantime is not signed in to: its state is newer than the proof.
    const { account, profile, method } = signUp;
    const about = { method, ...(profile && { profile: toPersonProfile(profile) }) };
    const tools = { changes: this.changes, identities: this.storage.identities };
    const created = account
      ? await insertWithIdentity(tools, user, account, this.clock(), userCreated(user.id, about))
      : await this.signIn.insertUser(user, context, about);
    if (!created) throw new EmailExistsError();
    const details = { session: created.session };
    return this.signIn.completeSignIn(method, created.user, true, context, details);
  }
}
