/** The JSON bodies of specification 4.1. Unknown fields are dropped; what a text must be is the provider's to say. */
import type { Zod } from '../runtime/load.js';

export const requestSchemas = (z: Zod) => ({
  email: z.object({ email: z.string() }),
  emailAndCode: z.object({ email: z.string(), code: z.string() }),
  emailAndPassword: z.object({ email: z.string(), password: z.string() }),
  tokenAndNewPassword: z.object({ token: z.string(), newPassword: z.string() }),
});

export type RequestSchemas = ReturnType<typeof requestSchemas>;
