// Four-child nodes of the BVH, and references to them: 16 n is node n; 16 slot + 2 count + 1 a leaf of `count` facets (0: no child).
// The kernel declares `nodes`.

alias BvhNode = WideNode;

// No child, in the place of a reference or of its key.
const NO_CHILD = 0xffffffffu;

fn is_leaf(reference: u32) -> bool {
  return (reference & 1u) == 1u;
}

fn node_at(reference: u32) -> u32 {
  return reference >> 4u;
}

// The slots of a leaf: first, and after the last.
fn slots_of(reference: u32) -> vec2u {
  let first = reference >> 4u;
  return vec2u(first, first + ((reference >> 1u) & 7u));
}
