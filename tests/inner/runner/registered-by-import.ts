beforeEach(() => undefined);
