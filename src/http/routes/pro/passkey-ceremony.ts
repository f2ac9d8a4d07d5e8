/** The credential that the browser returns from a passkey ceremony. */
import * as z from 'zod';
import { lazily } from '../../../runtime/load.js';

export const ceremonyResponse = lazily(() =>
  z.object({
    response: z.looseObject({ id: z.string(), response: z.looseObject({}) }),
  }),
);

export const newPasskeyResponse = lazily(() => ceremonyResponse().extend({ name: z.string().optional() }));
