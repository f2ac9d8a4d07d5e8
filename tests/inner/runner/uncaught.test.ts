it('throws in a callback', () => {
  setImmediate(() => {
    throw new Error('in a callback');
  });
});

it('rejects a promise without a handler', () => {
  void Promise.reject(new Error('without a handler'));
});

it('rejects a promise that is handled later', async () => {
  const rejected = Promise.reject(new Error('handled later'));
  await new Promise((resolve) => setImmediate(resolve));
  await rejected.catch(() => undefined);
});

it('passes after the others', () => undefined);
