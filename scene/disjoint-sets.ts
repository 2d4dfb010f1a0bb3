/** Disjoint sets of the numbers below `size`; the smallest number of a set is its root. */
export class DisjointSets {
  private readonly parent: Uint32Array

  constructor(size: number) {
    this.parent = new Uint32Array(size).map((_, i) => i)
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
    const [a, b] = [this.root(i), this.root(j)]
    this.parent[Math.max(a, b)] = Math.min(a, b)
  }
}
