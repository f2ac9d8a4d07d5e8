import './registered-by-import.js';

it('would run without its hook in the second file of a process', () => undefined);
