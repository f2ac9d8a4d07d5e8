/** What a provider says about an error, wherever it says it. */
import { isObject } from './answers.js';

export interface ReportedError {
  error?: unknown;
  errorDescription?: unknown;
}

/** Names of a code, then of a sentence: those of Google, Notion, Twitch, Facebook, X (RFC 9457), WeChat and TikTok. */
const codes = ['title', 'type', 'status', 'code', 'error_code', 'errcode'];
const sentences = ['message', 'detail', 'reason', 'errmsg', 'error_message', 'description'];

/** The fields of RFC 6749, 5.2, and of an object in `error`. Other fields of a successful response may be personal. */
export function errorIn({ error, error_description: description }: Record<string, unknown>): ReportedError {
  return isObject(error)
    ? { error: first([error], codes), errorDescription: first([error], sentences) }
    : { error, errorDescription: description };
}

/** Like `errorIn`, for a response that is an error: also the challenge of RFC 6750, 3, and the provider's own names. */
export function errorOfRefusal(answer: Record<string, unknown>, challenge: string | null): ReportedError {
  const { error, errorDescription } = errorIn(answer);
  const list: unknown = Array.isArray(answer['errors']) ? answer['errors'][0] : undefined;
  const objects = [answer, list, answer['data']].filter(isObject);
  const ofChallenge = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(challenge ?? '')?.[1];
  return {
    error: error ?? ofChallenge('error') ?? first(objects, codes),
    errorDescription: errorDescription ?? ofChallenge('error_description') ?? first(objects, sentences),
  };
}

/** Returns the first text, or else the first number. */
function first(objects: readonly Record<string, unknown>[], names: readonly string[]): unknown {
  const values = objects.flatMap((object) => names.map((name) => object[name]));
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  return values.find(isText) ?? values.find((value) => typeof value === 'number');
}
