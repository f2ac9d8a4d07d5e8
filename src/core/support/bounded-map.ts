/** A map of at most `maxSize` entries: a new one takes the place of the one that was set the longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  /** @param onEvicted receives an entry that had to make room. */
  constructor(
    private readonly maxSize: number,
    private readonly onEvicted?: (key: Key, value: Value) => void,
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    // A Map keeps the position of a key that is set again, so the key is deleted first.
    this.delete(key);
    super.set(key, value);
    if (this.size > this.maxSize) this.evictOldest();
    return this;
  }

  private evictOldest(): void {
    for (const [key, value] of this) {
      this.delete(key);
      this.onEvicted?.(key, value);
      return;
    }
  }
}
