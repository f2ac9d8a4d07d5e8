/** Forms with which the browser creates or uses a passkey: sent once for the options, and once more with the credential. */
import { keepChallenge, takeChallenge } from '../http/challenge-cookie.js';
import { ceremonyResponse } from '../http/routes/pro/passkey-ceremony.js';
import { isServiceError } from '../errors/service-error.js';
import { FieldError } from '../pages-kit/attempt.js';
import type { Ceremony, Next, Visit } from './page.js';

/** The field into which the script puts the credential. */
const credentialField = 'credential';

export interface CeremonySteps {
  ceremony: 'create' | 'get';
  start: () => Promise<{ options: unknown; challenge: string }>;
  /** @param answer the credential and its challenge, for the service. */
  finish: (answer: { response: never; expectedChallenge: string }) => Promise<Next>;
}

/** Runs the step to which the form belongs. @throws FieldError if the browser sent no valid credential, or one that was refused. */
export async function runCeremony(
  { req, res, service, texts }: Visit,
  values: URLSearchParams,
  { ceremony, start, finish }: CeremonySteps,
): Promise<Next | Ceremony> {
  const sent = values.get(credentialField);
  if (sent === null) {
    // Without a script, no passkey could follow.
    if (req.headers['svc-pages'] === undefined) throw new FieldError('', texts.errors.passkeyNeedsScript);
    const { options, challenge } = await start();
    keepChallenge(service, req, res, challenge);
    return { ceremony, options };
  }
  const parsed = ceremonyResponse().safeParse({ response: jsonOf(sent) });
  const failure = new FieldError('', texts.errors.passkey);
  if (!parsed.success) throw failure;
  const { response } = parsed.data;
  try {
    const expectedChallenge = takeChallenge(service, req, res, response);
    return await finish({ response: response as never, expectedChallenge });
  } catch (error) {
    if (isServiceError(error) && ['token_invalid', 'invalid_request'].includes(error.code)) {
      if (error.field === undefined) throw failure;
    }
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
