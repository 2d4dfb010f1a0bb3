// The uniform tracing of reproduction/traversal.ts as a plain CUDA C++ kernel, for comparison only: corner and central rays of
// N x N tubes, one thread a ray, a two-child BVH with a stack, paths of some bounces, for central rays the test
// whether each hit after the first sees the radar. It writes what the validity test needs: keys, first facet, facets met.
// Input: the files of export.js. Build and run: see README.md.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    cudaError_t error = (call);                                                         \
    if (error != cudaSuccess) {                                                         \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                    \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

constexpr int MAX_BOUNCES = 3;
constexpr int STACK = 64;
constexpr uint32_t NO_SLOT = 0xffffffffu;
constexpr float GRAZING = 2e-6f;
constexpr float FAR_AWAY = 3e38f;
// See facet_test.wgsl.
constexpr float GROWTH = 1.5e-7f;
constexpr float MOST_GROWTH = 4e-6f;

struct Aspect {
  float base[3], h;
  float u[3], offset_u;
  float v[3], offset_v;
  float d[3], lift;
  float s[3], diagonal;
  int32_t first_i, first_j, cells_i, cells_j;
};
static_assert(sizeof(Aspect) == 96, "as export.ts packs it, without a pad");

struct Hit {
  float t;
  uint32_t slot;
};

struct Scene {
  // Four float4 an inner node: the boxes of its two children and their references (leaf: 16 slot + 2 count + 1).
  const float4 *nodes;
  const float4 *planes; // n | a.x, m1 | a.y, m2 | a.z as in facet_test.wgsl
  const uint2 *ids;
  float diagonal;
};

__device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float dot(float4 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float3 vec(const float *p) { return make_float3(p[0], p[1], p[2]); }
__device__ inline float safe(float x) { return fabsf(x) < 1e-20f ? (x >= 0 ? 1e-20f : -1e-20f) : x; }

__device__ inline float largest(float3 m) { return fmaxf(fabsf(m.x), fmaxf(fabsf(m.y), fabsf(m.z))); }

__device__ inline void meet(const Scene &scene, uint32_t slot, float3 o, float3 d, bool launched, Hit &hit) {
  float4 n = scene.planes[3 * slot], a1 = scene.planes[3 * slot + 1], a2 = scene.planes[3 * slot + 2];
  float3 m1 = make_float3(a1.x, a1.y, a1.z), m2 = make_float3(a2.x, a2.y, a2.z);
  float3 from_corner = o - make_float3(n.w, a1.w, a2.w);
  float inverse = 1 / dot(n, d);
  float t = -dot(n, from_corner) * inverse;
  float3 p = from_corner + t * d;
  float u = dot(m1, p), v = dot(m2, p);
  float growth = launched ? fminf(GROWTH * fabsf(inverse), MOST_GROWTH) * scene.diagonal : 0;
  bool inside = u >= -growth * largest(m1) && v >= -growth * largest(m2) && u + v <= 1 + growth * largest(m1 + m2);
  if (fabsf(inverse) <= 1 / GRAZING && t > 0 && t <= hit.t && inside) {
    if (t == hit.t && scene.ids[slot].x > scene.ids[hit.slot].x) return;
    hit = {t, slot};
  }
}

__device__ inline float entry(float4 low, float4 high, float3 inv, float3 shift, float limit) {
  float ax = fmaf(low.x, inv.x, shift.x), bx = fmaf(high.x, inv.x, shift.x);
  float ay = fmaf(low.y, inv.y, shift.y), by = fmaf(high.y, inv.y, shift.y);
  float az = fmaf(low.z, inv.z, shift.z), bz = fmaf(high.z, inv.z, shift.z);
  float t0 = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
  float t1 = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), limit));
  return t0 <= t1 ? t0 : -1.0f;
}

__device__ Hit traverse(const Scene &scene, float3 o, float3 d, uint32_t skip, bool any) {
  Hit hit = {FAR_AWAY, NO_SLOT};
  float3 inv = make_float3(1 / safe(d.x), 1 / safe(d.y), 1 / safe(d.z));
  float3 shift = make_float3(-o.x * inv.x, -o.y * inv.y, -o.z * inv.z);
  uint32_t stack[STACK];
  int top = 0;
  uint32_t at = 0;
  for (;;) {
    if (at & 1u) {
      uint32_t first = at >> 4, end = first + ((at >> 1) & 7u);
      for (uint32_t slot = first; slot < end; slot++)
        if (slot != skip) meet(scene, slot, o, d, skip == NO_SLOT, hit);
      if (any && hit.slot != NO_SLOT) break;
    } else {
      const float4 *node = scene.nodes + 4 * (at >> 4);
      float4 l0 = node[0], h0 = node[1], l1 = node[2], h1 = node[3];
      float t0 = entry(l0, h0, inv, shift, hit.t), t1 = entry(l1, h1, inv, shift, hit.t);
      uint32_t c0 = __float_as_uint(l0.w), c1 = __float_as_uint(l1.w);
      if (t0 >= 0 && t1 >= 0) {
        bool swap = t1 < t0;
        stack[top++] = swap ? c0 : c1;
        at = swap ? c1 : c0;
        continue;
      }
      if (t0 >= 0 || t1 >= 0) {
        at = t0 >= 0 ? c0 : c1;
        continue;
      }
    }
    if (top == 0) break;
    at = stack[--top];
  }
  return hit;
}

// z = 0: central rays, 1: corner rays. A block is a square of 16 x 16 rays.
__global__ void trace(Scene scene, Aspect a, uint32_t *corners, uint32_t *centres, unsigned long long *hits) {
  bool centre = blockIdx.z == 0;
  int side_i = a.cells_i + (centre ? 0 : 1), side_j = a.cells_j + (centre ? 0 : 1);
  int i = blockIdx.x * 16 + threadIdx.x % 16, j = blockIdx.y * 16 + threadIdx.x / 16;
  if (i >= side_i || j >= side_j) return;
  float x = (a.first_i + i + (centre ? 0.5f : 0.0f) + a.offset_u) * a.h;
  float y = (a.first_j + j + (centre ? 0.5f : 0.0f) + a.offset_v) * a.h;
  float3 o = vec(a.base) + x * vec(a.u) + y * vec(a.v), d = vec(a.d), s = vec(a.s), onward = d;
  uint32_t surface_key = 0x811c9dc5u, facet_key = 0x811c9dc5u, visible = 1, first = NO_SLOT, previous = NO_SLOT;
  uint32_t met[MAX_BOUNCES];
  uint32_t count = 0;
  bool looking = false;
  for (;;) {
    Hit hit = traverse(scene, o, d, previous, looking || count == MAX_BOUNCES);
    if (looking) {
      if (hit.slot == NO_SLOT) visible |= 1u << (count - 1);
      looking = false;
      d = onward;
      continue;
    }
    if (hit.slot == NO_SLOT) break;
    if (count == MAX_BOUNCES) {
      surface_key = (surface_key ^ 0x9e3779b9u) * 0x01000193u;
      break;
    }
    uint2 ids = scene.ids[hit.slot];
    met[count] = ids.x;
    if (count == 0) first = ids.x;
    surface_key = (surface_key ^ ids.y) * 0x01000193u;
    facet_key = (facet_key ^ ids.x) * 0x01000193u;
    float4 plane = scene.planes[3 * hit.slot];
    float3 n = make_float3(plane.x, plane.y, plane.z);
    float3 up = dot(n, d) > 0 ? -1.0f * n : n;
    float3 p = o + hit.t * d;
    float3 corner = make_float3(plane.w, scene.planes[3 * hit.slot + 1].w, scene.planes[3 * hit.slot + 2].w);
    o = p + dot(n, corner - p) * n + a.lift * up;
    onward = d - (2 * dot(up, d)) * up;
    onward = rsqrtf(dot(onward, onward)) * onward;
    looking = centre && count > 0 && dot(up, s) > 0;
    d = looking ? s : onward;
    previous = hit.slot;
    count++;
  }
  size_t at = (size_t)j * side_i + i, stride = (size_t)side_i * side_j;
  if (!centre) {
    corners[at] = count ? surface_key : 0;
    corners[stride + at] = facet_key;
    corners[2 * stride + at] = first;
  } else {
    centres[at] = count ? surface_key : 0;
    centres[stride + at] = facet_key;
    centres[2 * stride + at] = visible;
    centres[3 * stride + at] = count;
    for (int b = 0; b < MAX_BOUNCES; b++)
      if (b < count) centres[(4 + b) * stride + at] = met[b];
    // Counted in a run that is not timed.
    if (hits && count > 0) atomicAdd(hits, 1ull);
  }
}

template <class T> std::vector<T> load(const std::string &path) {
  FILE *file = fopen(path.c_str(), "rb");
  if (!file) {
    fprintf(stderr, "%s: cannot be read; run export.js first\n", path.c_str());
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  std::vector<T> data(ftell(file) / sizeof(T));
  rewind(file);
  if (fread(data.data(), sizeof(T), data.size(), file) != data.size()) exit(1);
  fclose(file);
  return data;
}

template <class T> T *upload(const std::vector<T> &data) {
  T *copy;
  CHECK(cudaMalloc(&copy, data.size() * sizeof(T)));
  CHECK(cudaMemcpy(copy, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
  return copy;
}

int main(int argc, char **argv) {
  std::string folder = argc > 1 ? argv[1] : ".";
  auto nodes = load<float4>(folder + "/nodes.bin");
  auto planes = load<float4>(folder + "/planes.bin");
  auto ids = load<uint2>(folder + "/ids.bin");
  auto aspects = load<Aspect>(folder + "/aspects.bin");
  Scene scene = {upload(nodes), upload(planes), upload(ids), aspects[0].diagonal};
  size_t most = 0;
  for (auto &a : aspects) most = std::max(most, (size_t)(a.cells_i + 1) * (a.cells_j + 1));
  uint32_t *corners, *centres;
  unsigned long long *hits, hit_tubes;
  CHECK(cudaMalloc(&corners, most * 3 * 4));
  CHECK(cudaMalloc(&centres, most * (4 + MAX_BOUNCES) * 4));
  CHECK(cudaMalloc(&hits, 8));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<float> launched, hitting, times;
  for (auto &a : aspects) {
    dim3 grid(a.cells_i / 16 + 1, a.cells_j / 16 + 1, 2);
    CHECK(cudaMemset(hits, 0, 8));
    trace<<<grid, 256>>>(scene, a, corners, centres, hits);
    CHECK(cudaMemcpy(&hit_tubes, hits, 8, cudaMemcpyDeviceToHost));
    std::vector<float> runs;
    for (int r = 0; r < 5; r++) {
      float ms;
      CHECK(cudaEventRecord(start));
      trace<<<grid, 256>>>(scene, a, corners, centres, nullptr);
      CHECK(cudaEventRecord(stop));
      CHECK(cudaEventSynchronize(stop));
      CHECK(cudaEventElapsedTime(&ms, start, stop));
      runs.push_back(ms);
    }
    std::sort(runs.begin(), runs.end());
    times.push_back(runs[2]);
    // As reproduction/traversal.ts: of the square lattice, empty margins included.
    double side = std::max(a.cells_i, a.cells_j);
    launched.push_back(2 * side * side / runs[2] / 1e6);
    hitting.push_back(2.0 * hit_tubes / runs[2] / 1e6);
  }
  auto median = [](std::vector<float> x) {
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
  };
  printf("| kernel | tracing [ms] | launched [G rays/s] | worst aspect | hitting [G rays/s] |\n| --- | ---: | ---: | ---: | ---: |\n");
  printf("| CUDA C++ | %.2f | %.2f | %.2f | %.2f |\n", median(times), median(launched),
         *std::min_element(launched.begin(), launched.end()), median(hitting));
}
