import { innocentTests } from './leaks.js';

innocentTests();
