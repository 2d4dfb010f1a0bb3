// How many entries a list has, the same for all lanes of a workgroup.

var<workgroup> counted: u32;

fn counted_units(word: u32, lane: u32) -> u32 {
  if (lane == 0u) { counted = atomicLoad(&counters[word]); }
  return workgroupUniformLoad(&counted);
}
