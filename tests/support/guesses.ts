/** Wrong passwords, as many as a limit and the audit log count together. */
import type { Service } from 'svc-auth';
import { outcomeOf } from './outcomes.js';

export async function guessPassword(service: Service, userId: string, times: number): Promise<void> {
  const guess = {
    userId,
    currentPassword: 'another wrong password',
    newPassword: 'staple battery horse, the next one',
  };
  for (let count = 0; count < times; count += 1)
    await outcomeOf(() => service.emailPassword.changePassword(guess, { ip: '192.0.2.33' }));
}
