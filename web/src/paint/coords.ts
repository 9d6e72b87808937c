/** A growing list of numbers that is cleared and filled again for every frame without new allocations. */
export class Coords {
  values = new Float64Array(256);
  length = 0;

  clear(): this {
    this.length = 0;
    return this;
  }

  push2(a: number, b: number): void {
    this.#room(2);
    this.values[this.length++] = a;
    this.values[this.length++] = b;
  }

  push4(a: number, b: number, c: number, d: number): void {
    this.#room(4);
    const { values } = this;
    values[this.length++] = a;
    values[this.length++] = b;
    values[this.length++] = c;
    values[this.length++] = d;
  }

  #room(more: number): void {
    if (this.length + more <= this.values.length) return;
    const larger = new Float64Array(this.values.length * 2);
    larger.set(this.values);
    this.values = larger;
  }
}
