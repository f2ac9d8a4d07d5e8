/** What the methods of the client take. */

/** A new password, and the proof that the mailbox is the user's. */
export type ResetInput = ({ token: string } | { email: string; code: string }) & {
  newPassword: string;
  revokeCredentials?: boolean;
};

/** A sign-up with a password: with an address or, if the service has `usernames.signUpWithoutEmail`, with a user name alone. */
export type SignUpInput = NewAccountInput & ({ email: string } | { email?: undefined; username: string });

interface NewAccountInput extends RememberInput {
  password: string;
  /** If the service has user names. */
  username?: string;
  /** The application's own fields: `signUp.fields` of the service. */
  fields?: Record<string, unknown>;
  /** The token of an invite to an organization. */
  inviteToken?: string;
  /** The solution of the challenge of a `challenge_required` error. */
  challengeSolution?: string;
}

/** The solution of the challenge of a `challenge_required` error. */
export type ChallengeSolution = Pick<SignUpInput, 'challengeSolution'>;

/** The choice of a sign-in whether the browser keeps the session when it closes. Default true. */
export interface RememberInput {
  remember?: boolean;
}

/** A new API key. */
export interface ApiKeyInput {
  name: string;
  scopes?: string[];
  expiresAt?: Date;
}
