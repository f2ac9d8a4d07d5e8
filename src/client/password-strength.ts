/**
 * An estimate of how hard a password is to guess, for a form. Nothing else loads `@zxcvbn-ts/core` and its list of words, which are
 * optional, and only when an estimator is created. The password stays in the browser.
 */
import { AuthClientError } from './error.js';

export interface PasswordEstimate {
  /** 0: guessed at once, 1: easily, 2: with some effort, 3: hard to guess, 4: very hard to guess. */
  score: 0 | 1 | 2 | 3 | 4;
  /** The number of guesses that an attacker needs, as a power of ten. */
  guessesLog10: number;
  /** Why the password is weak: a key of the package, such as `common` or `dates`. Null if it is not. */
  warning: string | null;
  /** What would make it stronger: keys of the package, such as `anotherWord`. */
  suggestions: string[];
}

/**
 * @param words what an attacker tries first, such as the address of the user and the name of the application.
 */
export type EstimatePassword = (password: string, words?: readonly string[]) => PasswordEstimate;

/** The time of an estimate grows with the length, and a longer password has the highest score anyway. */
const longest = 100;

/**
 * Loads the estimator: 200 KB of code and words. Create it once per page, for example when the field gets the focus. The result is
 * advice: the server does not ask for a score.
 * @throws AuthClientError `package_missing` if `@zxcvbn-ts/core` or `@zxcvbn-ts/language-common` cannot be loaded.
 */
export async function passwordEstimator(): Promise<EstimatePassword> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core').catch((cause: unknown) => missing('@zxcvbn-ts/core', cause)),
    import('@zxcvbn-ts/language-common').catch((cause: unknown) =>
      missing('@zxcvbn-ts/language-common', cause),
    ),
  ]);
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, words = []) => {
    const parts = words.flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)]).filter(Boolean);
    const { score, guessesLog10, feedback } = estimator.check(password.slice(0, longest), parts);
    return { score, guessesLog10, warning: feedback.warning, suggestions: feedback.suggestions };
  };
}

function missing(name: string, cause: unknown): never {
  const message = `${name} could not be loaded: npm install @zxcvbn-ts/core @zxcvbn-ts/language-common`;
  throw new AuthClientError('package_missing', 0, message, undefined, { cause });
}
