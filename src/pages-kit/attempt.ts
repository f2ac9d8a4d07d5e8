/** A form that was submitted, and its faults. */

/** The values that a form was submitted with, and what is wrong with them. */
export interface Attempt {
  values: URLSearchParams;
  /** By the name of the field. The empty name is the form itself. */
  errors: ReadonlyMap<string, string>;
}

/** Several wrong values in a form. */
export class FieldErrors extends Error {
  /** @param errors as those of an `Attempt`. */
  constructor(readonly errors: ReadonlyMap<string, string>) {
    super('Several fields of the form are wrong.');
  }
}

/** A wrong value in a form. */
export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}
