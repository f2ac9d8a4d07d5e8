/** The encryption keys of the tests of rotations, which their processes use, too. */
export const maintenanceKeys = {
  old: 'a key of the tests for second factors, 32 bytes',
  current: 'another key of the tests, after a rotation, 32 bytes',
};
