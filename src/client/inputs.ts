/** What the methods of the client take. */

/** A new password, and the proof that the mailbox is the user's. */
export type ResetInput = ({ token: string } | { email: string; code: string }) & {
  newPassword: string;
  revokeCredentials?: boolean;
};

/** A sign-up with a password. */
export interface SignUpInput extends RememberInput {
  /** Required unless the service has `usernames.signUpWithoutEmail` and `username` is given. */
  email?: string;
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
