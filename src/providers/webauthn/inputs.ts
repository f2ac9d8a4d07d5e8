/** The inputs of `service.webauthn`. The provider parses the responses of authenticators itself. */
import * as z from 'zod';
import { unchecked, userIdInput } from '../../core/support/input-types.js';
import type { AuthenticationResponse, RegistrationResponse } from '../../domain/passkey-json.js';
import { lazily } from '../../runtime/load.js';

export const registration = lazily(() =>
  z.object({
    userId: userIdInput(),
    response: unchecked<RegistrationResponse>(),
    expectedChallenge: unchecked<string>(),
  }),
);

export const authentication = lazily(() =>
  registration().extend({
    // Any other value is the id of no user too: it fails as every invalid response does.
    userId: z.string().catch('unknown').optional(),
    response: unchecked<AuthenticationResponse>(),
  }),
);
