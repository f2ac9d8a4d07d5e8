/** Options of user names that depend on each other. */
import { faultsOf, validConfig } from '../support/config-faults.js';

it('signUpWithoutEmail requires user names', () => {
  const faults = (usernames: object) => faultsOf({ ...validConfig, usernames });
  expect(faults({ signUpWithoutEmail: true })).toEqual([
    'usernames.signUpWithoutEmail: requires `usernames.enabled`: users sign in by their user names',
  ]);
  for (const usernames of [{ enabled: true, signUpWithoutEmail: true }, { signUpWithoutEmail: false }])
    expect(faults(usernames)).toEqual([]);
});
