/** What a storm generates: single requests, and moves of several steps (moves.ts), unchanged or altered, with other requests in between. */
import fc from 'fast-check';
import { anyJson, anyMutations, anyText } from './arbitraries.js';
import { callers, Known, ownCookies, type Caller, type DrawnRequest } from './drawn.js';
import { moves, type Drawn, type Step } from './moves.js';
import { anyRequest } from './requests.js';

type Values = Record<Drawn, string>;

const newcomer = fc.nat(99).map((n) => `newcomer-${n}`);
const anyValues: fc.Arbitrary<Values> = fc.record({
  stranger: fc.nat(50).map((n) => `stranger-${n}@example.com`),
  newcomer: newcomer.map((name) => `${name}@example.com`),
  another: newcomer.map((name) => `${name}-too@example.com`),
  phone: fc.nat(40).map((n) => `+1415555${2000 + n}`),
  subject: fc.oneof(newcomer, fc.constantFrom('ada', 'bob', '')),
});

/** Resolves `{code of address of fresh}` to a reference; any other string is returned unchanged. */
function filled(text: string, values: Partial<Record<string, string>>): unknown {
  const names = /^\{(.*)\}$/.exec(text)?.[1]?.split(' of ').reverse();
  if (!names) return text;
  return names.reduce<unknown>(
    (of, name) => values[name] ?? (callers.includes(name as Caller) ? name : new Known(name, 0, [], of)),
    undefined,
  );
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function requestOf({ as, send, body, waitMs = 0 }: Step, values: Values): DrawnRequest {
  const [, method = '', path = '', query] = /^(\w+) \/([^?]*)(?:\?(.*))?$/.exec(send) ?? [];
  const fill = (text: string) => filled(text, values);
  return {
    method,
    path: path.split('/').map(fill),
    query: query === undefined ? [] : [fill(query)],
    headers: typeof body === 'string' ? formType : {},
    cookies: [[], []],
    body:
      typeof body === 'object'
        ? Object.fromEntries(
            Object.entries(body).map(([name, text]) => [name, text === null ? null : fill(text)]),
          )
        : body && fill(body),
    ...{ caller: as, subject: values.subject, waitMs },
  };
}

const allMoves = Object.values(moves).map(
  (steps) => (values: Values) => steps.map((step) => requestOf(step, values)),
);

/** Every move with its steps unchanged, by users whom no generated value names. */
export const movesAsTheyAre: readonly (readonly DrawnRequest[])[] = allMoves.map((move, n) =>
  move({
    stranger: `stranger-of-${n}@example.com`,
    newcomer: 'newcomer-0@example.com',
    another: 'newcomer-1@example.com',
    phone: `+1415556${2000 + n}`,
    subject: 'newcomer-0',
  }),
);

type Twist = (steps: readonly DrawnRequest[]) => readonly DrawnRequest[];

const at = fc.nat(9);
const changeStep =
  (n: number, change: (step: DrawnRequest) => DrawnRequest): Twist =>
  (steps) =>
    steps.map((step, index) => (index === n % steps.length ? change(step) : step));

/** Changes one field of a step; `undefined` removes it. `nth` selects the field, if there are any. */
function withField(step: DrawnRequest, nth: number, change: (value: unknown) => unknown): DrawnRequest {
  const { body, path, query } = step;
  if (query.length > 0) return { ...step, query: query.map(change) };
  const references = path.flatMap((part, index) => (part instanceof Known ? [index] : []));
  const names = Object.keys(body instanceof Known ? {} : (body ?? {}));
  const chosen = nth % Math.max(1, references.length + names.length);
  const index = references[chosen];
  if (index !== undefined)
    return { ...step, path: path.map((part, i) => (i === index ? change(part) : part)) };
  const name = names[chosen - references.length];
  if (name === undefined) return { ...step, body: change(body) };
  return { ...step, body: { ...(body as object), [name]: change((body as Record<string, unknown>)[name]) } };
}

const anyChange: fc.Arbitrary<(value: unknown) => unknown> = fc.oneof(
  fc.constant(() => undefined),
  anyText.map((text) => () => text),
  anyJson.map((json) => () => json),
  // A valid value, mutated; an earlier valid value; and a valid value of another user.
  anyMutations.map((changes) => changed((known) => new Known(known.name, known.nth, changes, known.of))),
  fc.nat(3).map((nth) => changed((known) => new Known(known.name, nth, [], known.of))),
  fc.constant(changed((known) => new Known(known.name, known.nth, []))),
);

function changed(change: (known: Known) => unknown) {
  return (value: unknown) => (value instanceof Known ? change(value) : value);
}

const anyTwist: fc.Arbitrary<Twist> = fc.oneof(
  at.map(
    (n): Twist =>
      (steps) =>
        steps.filter((_, index) => index !== n % steps.length),
  ),
  at.map(
    (n): Twist =>
      (steps) =>
        steps.flatMap((step, index) => (index === n % steps.length ? [step, step] : [step])),
  ),
  at.map((n): Twist => (steps) => {
    const first = n % steps.length;
    return [...steps.slice(0, first), ...steps.slice(first, first + 2).reverse(), ...steps.slice(first + 2)];
  }),
  fc
    .tuple(at, fc.constantFrom(...callers))
    .map(([n, caller]) => changeStep(n, (step) => ({ ...step, caller }))),
  // With the cookie of another caller before its own.
  fc
    .tuple(at, fc.constantFrom(...callers), fc.constantFrom(...ownCookies))
    .map(([n, other, name]) =>
      changeStep(n, (step) => ({ ...step, cookies: [[[name, new Known(name, 0, [], other)]], []] })),
    ),
  {
    weight: 3,
    arbitrary: fc
      .tuple(at, at, anyChange)
      .map(([n, nth, change]) => changeStep(n, (step) => withField(step, nth, change))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, anyRequest)
      .map(([n, other]): Twist => (steps) => [...steps.slice(0, n), other, ...steps.slice(n)]),
  },
);

/** The number of steps after which a move ends, if it has that many. Shrinks to the first that fails. */
const anyLength = fc.noBias(fc.nat(40)).map((n) => n + 1);

const anyMove: fc.Arbitrary<readonly DrawnRequest[]> = fc
  .tuple(
    fc.constantFrom(...allMoves),
    anyValues,
    anyLength,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<Twist[]>([]) },
      { weight: 2, arbitrary: fc.array(anyTwist, { minLength: 1, maxLength: 3 }) },
    ),
  )
  .map(([move, values, length, twists]) =>
    twists.reduce<readonly DrawnRequest[]>(
      (steps, twist) => (steps.length === 0 ? steps : twist(steps)),
      move(values).slice(0, length),
    ),
  );

export const anyDraw: fc.Arbitrary<readonly DrawnRequest[]> = fc.oneof(
  { weight: 3, arbitrary: anyRequest.map((request) => [request]) },
  { weight: 2, arbitrary: anyMove },
);
