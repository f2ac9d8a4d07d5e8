it('never ends', () => new Promise(() => undefined), 20);
