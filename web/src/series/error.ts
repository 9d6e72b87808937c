/** Data that this page cannot read: what, where, and what would be right. Meant to be shown to a person. */
export class DataError extends Error {
  override readonly name = 'DataError';
}
