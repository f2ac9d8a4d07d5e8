/** The credential that the browser returns from a passkey ceremony. */
import * as z from 'zod';

export const ceremonyResponse = z.object({
  response: z.looseObject({ id: z.string(), response: z.looseObject({}) }),
});

export const newPasskeyResponse = ceremonyResponse.extend({ name: z.string().optional() });
