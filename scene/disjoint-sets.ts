/** Disjoint sets of the numbers below `size`; the smallest number of a set is its root. */
export class DisjointSets {
  private readonly parent: Uint32Array

  constructor(size: number) {
    this.parent = new Uint32Array(size)
    for (let i = 0; i < size; i++) this.parent[i] = i
  }

  root(i: number): number {
    const { parent } = this
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]]
      i = parent[i]
    }
    return i
  }

  join(i: number, j: number): void {
    const a = this.root(i)
    const b = this.root(j)
    if (a < b) this.parent[b] = a
    else this.parent[a] = b
  }

  /** The sets, numbered in the order of their smallest numbers: how many there are, and the set of each number. */
  numbered(): { count: number; of: Uint32Array } {
    const of = new Uint32Array(this.parent.length)
    let count = 0
    // The root is its set's smallest number, so it is numbered before the other members.
    for (let i = 0; i < of.length; i++) {
      const root = this.root(i)
      of[i] = root === i ? count++ : of[root]
    }
    return { count, of }
  }
}
