/** The authenticator apps of a user: adding, naming and removing them. Each change but a new name ends every session. */
import type * as z from 'zod';
import { uuidV7 } from '../../crypto/random.js';
import { parseName } from '../../domain/name.js';
import { maxTotpApps } from '../../domain/totp.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { existingMember } from '../../core/sessions/existing-user.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { parseCode, parseInput } from '../../core/support/input.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import type { Guesses } from './guesses.js';
import { appInput, newAppInput, renamedAppInput } from './inputs.js';
import type { AddedTotpApp, NewRecoveryCodes, PublicTotpApp } from './inputs.js';
import type { TotpTools } from './options.js';
import type { TotpOwner } from './owner.js';
import { newRecoveryCodes, recoveryCodeHashes } from '../../crypto/recovery-codes.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

export class TotpApps {
  constructor(
    private readonly enrollments: TotpRepository,
    private readonly guesses: Guesses,
    private readonly owner: TotpOwner,
    private readonly tools: TotpTools,
  ) {}

  /** Confirms the pending secret as the only app. */
  async confirmOnly(
    user: StoredUser,
    code: string,
    context: RequestContext,
    app: { appId?: string; name?: string | null },
  ): Promise<NewRecoveryCodes> {
    mustBeInPerson(user.id, context);
    const { sessionEpoch } = context;
    const keys = this.owner.keys();
    const recoveryCodes = newRecoveryCodes();
    const hashes = recoveryCodes.map((each) => recoveryCodeHashes(keys, user.id, each)[0]);
    const appId = app.appId ?? uuidV7(this.tools.clock());
    await this.guesses.confirm(keys, user.id, code, async (confirmation) => {
      const change = { ...confirmation, ...app, appId, epoch: sessionEpoch, recoveryCodeHashes: hashes };
      if (!(await this.enrollments.confirm(change))) throw await this.owner.refusal(user.id, sessionEpoch);
    });
    await this.guesses.forget(user.id);
    this.owner.report('totp.enabled', user.id);
    this.owner.notify('totp_enabled', user, context);
    return { recoveryCodes, ...(await this.tools.sessions.restart(user.id, context, true)) };
  }

  async addApp(
    input: z.infer<ReturnType<typeof newAppInput>>,
    context: RequestContext,
  ): Promise<AddedTotpApp> {
    const { userId, code: typed, name: givenName } = parseInput(newAppInput, input);
    const code = parseCode(typed);
    const name = givenName === undefined ? null : parseName(givenName);
    mustBeInPerson(userId, context);
    const keys = this.owner.keys();
    const { storage, clock, sessions } = this.tools;
    const user = await existingMember(storage, userId);
    const appId = uuidV7(clock());
    const app: PublicTotpApp = { id: appId, name, createdAt: new Date(clock()), lastUsedAt: null };
    if (!user.totpEnabled) return { app, ...(await this.confirmOnly(user, code, context, { appId, name })) };
    const { sessionEpoch } = context;
    await this.guesses.confirm(keys, user.id, code, async (confirmation) => {
      const addition = { ...confirmation, appId, name, epoch: sessionEpoch, maxApps: maxTotpApps };
      const outcome = await this.enrollments.addApp(addition);
      if (outcome === 'too_many') throw tooManyApps();
      if (outcome === 'refused') throw await this.owner.refusal(user.id, sessionEpoch);
    });
    this.owner.reportApp('totp.app_added', user.id, appId);
    this.owner.notify('totp_app_added', user, context);
    return { app, ...(await sessions.restart(user.id, context, true)) };
  }

  async renameApp(
    input: z.infer<ReturnType<typeof renamedAppInput>>,
    context: RequestContext,
  ): Promise<void> {
    const { userId, id, name } = parseInput(renamedAppInput, input);
    const newName = parseName(name);
    const { user } = await this.owner.findInPerson(userId, context);
    if (!(await this.enrollments.renameApp(user.id, id, newName))) throw noSuchApp();
  }

  async removeApp(
    input: z.infer<ReturnType<typeof appInput>>,
    context: RequestContext,
  ): Promise<{ session?: IssuedSession }> {
    const { userId, id } = parseInput(appInput, input);
    const { sessionEpoch } = context;
    const { user } = await this.owner.findInPerson(userId, context);
    const now = new Date(this.tools.clock());
    const outcome = await this.enrollments.removeApp(user.id, id, now, sessionEpoch);
    if (outcome === 'refused')
      throw (await this.owner.hasMoved(user.id, sessionEpoch))
        ? new TokenInvalidError(because('epoch_passed'))
        : noSuchApp();
    this.owner.reportApp('totp.app_removed', user.id, id);
    // One mail: without its last app, the account has no second factor.
    this.owner.notify(outcome === 'disabled' ? 'totp_disabled' : 'totp_app_removed', user, context);
    if (outcome === 'disabled') {
      await this.guesses.forget(user.id);
      this.owner.report('totp.disabled', user.id);
    }
    return this.tools.sessions.restart(user.id, context, false);
  }
}

function noSuchApp(): InvalidRequestError {
  return new InvalidRequestError('The user has no such authenticator app.');
}

function tooManyApps(): InvalidRequestError {
  return new InvalidRequestError(`A user can have ${maxTotpApps} authenticator apps.`, {
    reason: 'too_many_apps',
  });
}
