import { leakyTests } from './leaks.js';

leakyTests();
