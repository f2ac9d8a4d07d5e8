/** Thrown values that are not well-formed errors: careless handling of each would itself throw. */
export const malformedErrors: Readonly<Record<string, () => unknown>> = {
  'an error whose stack is not a string': () => Object.assign(new Error('odd'), { stack: ['frame'] }),
  'an error whose message is an object without a prototype': () =>
    Object.assign(new Error('odd'), { message: Object.create(null) as object }),
  'an error whose message is a symbol': () => Object.assign(new Error('odd'), { message: Symbol('odd') }),
  'an error whose message cannot be converted to a string': () =>
    Object.assign(new Error('odd'), {
      message: {
        toString() {
          throw new Error('odder');
        },
      },
    }),
  'an error whose message cannot be read': () => withAccessor('message'),
  'an error whose name cannot be read': () => withAccessor('name'),
  'an error whose stack cannot be read': () => withAccessor('stack'),
  'an error whose code cannot be read': () => withAccessor('code'),
  'an error whose cause cannot be read': () => withAccessor('cause'),
  'an error that is its own cause': () => {
    const error = new Error('odd');
    error.cause = error;
    return error;
  },
  'a revoked proxy': revokedProxy,
  'an error whose cause is a revoked proxy': () => new Error('odd', { cause: revokedProxy() }),
  'an object without a prototype': () => Object.create(null) as object,
  'a symbol': () => Symbol('odd'),
  'a big number': () => 10n,
  'a function': () => () => undefined,
  undefined: () => undefined,
};

/** Throws the value that the function creates. */
export function throwMalformed(create: () => unknown): never {
  throw create();
}

function withAccessor(property: string): Error {
  return Object.defineProperty(new Error('odd'), property, {
    get() {
      throw new Error('odder');
    },
  });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
