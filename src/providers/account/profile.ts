/** The name and the picture that users choose (docs/decisions/names-and-pictures.md). */
import type * as z from 'zod';
import { mergeMetadata } from '../../domain/metadata.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { NotAuthorizedError, ProviderNotConfiguredError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { mustHaveEpoch } from '../../core/sessions/actor.js';
import { profileLimits } from '../../core/limits/rate-limits.js';
import { capability } from '../../core/support/capability.js';
import { parseInput } from '../../core/support/input.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import type { Toolkit } from '../../core/toolkit.js';
import { changeProfileInput } from './options.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'limiter' | 'profiles' | 'storage'>;

export async function changeProfile(
  { clock, events, limiter, profiles, storage }: Tools,
  input: z.infer<ReturnType<typeof changeProfileInput>>,
  context: RequestContext,
): Promise<{ user: ServiceUser }> {
  if (!profiles.areEditable) throw new ProviderNotConfiguredError('profiles.editable');
  const { userId, name, picture } = parseInput(changeProfileInput, input);
  mustBeInPerson(userId, context);
  const session = parseContext(context);
  const merged = {
    ...(name !== undefined && { name: name === null ? null : profiles.parseName(name) }),
    ...(picture !== undefined && { picture: picture === null ? null : profiles.parsePicture(picture) }),
  };
  await limiter.consume(profileLimits(userId));
  // Under the lock of the user: the application may change other metadata at the same time.
  const users = capability(storage, 'userAdministration');
  const outcome = await users.update(userId, new Date(clock()), (user) => {
    mustHaveEpoch(user.epoch, session);
    return { metadata: mergeMetadata(user.metadata, merged) };
  });
  if (outcome.status === 'no_user') throw new UserNotFoundError();
  // Neither an address nor a user name was changed.
  if (outcome.status !== 'updated') throw new NotAuthorizedError(because('permission'));
  events.emit('profile.changed', { userId });
  return { user: toServiceUser(outcome.user) };
}
