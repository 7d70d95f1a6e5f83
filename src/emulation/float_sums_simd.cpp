// Sums of one row, whose lanes are lanes of the recipe's order.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "emulation/float_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/float_sums_simd.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normcert::HWY_NAMESPACE {
namespace {

#include "emulation/float_terms_simd.inc"
//
#include "emulation/float_partial_sums_simd.inc"

constexpr std::size_t kWarp = 32;

// Room for so many numbers, whatever they are.
float* room(AlignedFloats& memory, std::size_t count) {
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}

template <FloatTerms kTerms, std::size_t kRows>
Partial<kRows> sum_lanes(const SummationOrder& order, const float* row, std::size_t count,
                         AlignedFloats& memory) {
  using Sum = Partial<kRows>;
  const auto lanes = static_cast<std::size_t>(order.lanes);
  const auto accumulators = static_cast<std::size_t>(order.accumulators);
  const std::size_t tail = count - count % lanes;
  float* sums = room(memory, lanes * accumulators * kRows);
  add_modulo<kTerms, kRows, Start::kFromZero>(row, lanes * accumulators, tail, sums);
  for (std::size_t a = 1; a < accumulators; ++a) {
    add_all(sums, sums + a * lanes * kRows, lanes * kRows);
  }
  if (order.combine == LaneCombine::kSequential && order.tail == LaneTail::kFirst) {
    return plain_sum(one_by_one<kTerms>(row, tail, count, Sum::zero()), sums, lanes);
  }
  Sum combined = Sum::zero();
  switch (order.combine) {
    case LaneCombine::kHalves:
      combined = halves<kRows>(sums, lanes);
      break;
    case LaneCombine::kPairs:
      combined = pairs<kRows>(sums, lanes);
      break;
    case LaneCombine::kSequential:
      combined = plain_sum(Sum::load(sums), sums + kRows, lanes - 1);
      break;
  }
  if (order.tail == LaneTail::kLast) return one_by_one<kTerms>(row, tail, count, combined);
  return added(one_by_one<kTerms>(row, tail, count, Sum::zero()), combined);
}

// As TorchCascade (emulation/torch_cascade.hpp), but that levels which nothing has reached are not
// added: they hold +0, which changes no sum of squares, for none is -0.
template <FloatTerms kTerms, std::size_t kRows>
Partial<kRows> sum_cascade(std::size_t lanes, const float* row, std::size_t count,
                           AlignedFloats& memory) {
  using Sum = Partial<kRows>;
  constexpr std::size_t kAccumulators = 4;
  constexpr std::size_t kLevels = 4;
  const bool narrow = count < lanes;
  if (narrow) lanes = 1;
  const std::size_t vectors = count / lanes;
  const std::size_t width = lanes * kAccumulators;
  const std::size_t groups = vectors / kAccumulators;
  const std::size_t log2 = groups <= 2 ? 1 : static_cast<std::size_t>(std::bit_width(groups - 1));
  const std::size_t digits = std::max<std::size_t>(4, log2 / kLevels);
  const std::size_t step = std::size_t{1} << digits;
  std::size_t reached = 1;
  for (std::size_t steps = groups >> digits; steps > 0 && reached < kLevels; steps >>= digits) {
    ++reached;
  }
  const std::size_t level_size = width * kRows;
  memory.assign(reached * level_size, 0);
  float* levels = memory.data();
  std::size_t i = 0;
  while (i + step <= groups) {
    add_modulo<kTerms, kRows>(row + i * level_size, width, step * width, levels);
    i += step;
    for (std::size_t level = 1; level < kLevels; ++level) {
      float* below = levels + (level - 1) * level_size;
      add_all(below + level_size, below, level_size);
      std::fill_n(below, level_size, 0.0F);
      if ((i & (step - 1) << level * digits) != 0) break;
    }
  }
  add_modulo<kTerms, kRows>(row + i * level_size, width, (groups - i) * width, levels);
  for (std::size_t level = 1; level < reached; ++level) {
    add_all(levels, levels + level * level_size, level_size);
  }
  for (std::size_t v = groups * kAccumulators; v < vectors; ++v) {
    add_modulo<kTerms, kRows>(row + v * lanes * kRows, lanes, lanes, levels);
  }
  for (std::size_t a = 1; a < kAccumulators; ++a) {
    add_all(levels, levels + a * lanes * kRows, lanes * kRows);
  }
  if (narrow) return Sum::load(levels);
  return plain_sum(one_by_one<kTerms>(row, vectors * lanes, count, Sum::zero()), levels, lanes);
}

// How threads take their elements: vectors of so many, of the first one its second element before
// its first or not.
struct Share {
  std::size_t vector;
  bool second_first;
};

// One vector of threads, each of which adds the kVector numbers that stand side by side for it.
template <FloatTerms kTerms, std::size_t kVector, typename Tag>
HWY_INLINE void add_own(Tag tag, const float* row, bool second_first, float* sums) {
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag> of[kVector];
  if constexpr (kVector == 2) hn::LoadInterleaved2(tag, row, of[0], of[1]);
  if constexpr (kVector == 4) hn::LoadInterleaved4(tag, row, of[0], of[1], of[2], of[3]);
  if constexpr (kVector == 8) {
    hn::Vec<Tag> low[4];
    hn::Vec<Tag> high[4];
    hn::LoadInterleaved4(tag, row, low[0], low[1], low[2], low[3]);
    hn::LoadInterleaved4(tag, row + 4 * lanes, high[0], high[1], high[2], high[3]);
    for (std::size_t e = 0; e < 4; ++e) {
      of[e] = hn::ConcatEven(tag, high[e], low[e]);
      of[e + 4] = hn::ConcatOdd(tag, high[e], low[e]);
    }
  }
  if (second_first) std::swap(of[0], of[1]);
  hn::Vec<Tag> sum = hn::LoadU(tag, sums);
  for (std::size_t e = 0; e < kVector; ++e) sum = included<kTerms>(tag, sum, of[e]);
  hn::StoreU(sum, tag, sums);
}

// Threads `t` and those behind it as long as they fill vectors of `tag` from `count` numbers;
// returns the first that is left.
template <FloatTerms kTerms, typename Tag>
HWY_INLINE std::size_t add_own_by(Tag tag, const float* row, std::size_t count, Share share,
                                  std::size_t t, float* sums) {
  const std::size_t lanes = hn::Lanes(tag);
  if (lanes < 4) return t;
  for (; (t + lanes) * share.vector <= count; t += lanes) {
    const float* own = row + t * share.vector;
    switch (share.vector) {
      case 2:
        add_own<kTerms, 2>(tag, own, share.second_first, sums + t);
        break;
      case 4:
        add_own<kTerms, 4>(tag, own, share.second_first, sums + t);
        break;
      case 8:
        add_own<kTerms, 8>(tag, own, share.second_first, sums + t);
        break;
      default:
        return t;
    }
  }
  return t;
}

// The threads of one pass over `count` numbers, each its own vector.
template <FloatTerms kTerms, std::size_t kRows>
void add_pass(const float* row, std::size_t count, Share share, float* sums) {
  std::size_t t = 0;
  if constexpr (kRows == 1) {
    t = add_own_by<kTerms>(Floats(), row, count, share, t, sums);
    t = add_own_by<kTerms>(hn::CappedTag<float, 8>(), row, count, share, t, sums);
    t = add_own_by<kTerms>(hn::CappedTag<float, 4>(), row, count, share, t, sums);
  }
  for (std::size_t first = t * share.vector; first < count; first += share.vector, ++t) {
    std::size_t from = first;
    const std::size_t end = std::min(first + share.vector, count);
    Partial<kRows> sum = Partial<kRows>::load(sums + t * kRows);
    if (share.second_first && first + 1 < end) {
      sum = one_by_one<kTerms>(row, first + 1, first + 2, sum);
      sum = one_by_one<kTerms>(row, first, first + 1, sum);
      from = first + 2;
    }
    one_by_one<kTerms>(row, from, end, sum).store(sums + t * kRows);
  }
}

// Thread t takes vector t, t + threads, ..., and adds the numbers of each to its one sum; in
// Triton's order (OrderedSum::in_triton_thread) its second number before its first.
template <FloatTerms kTerms, std::size_t kRows>
void add_to_threads(const float* row, std::size_t count, std::size_t vector, std::size_t threads,
                    bool second_first, float* sums) {
  const std::size_t pass = threads * vector;
  if (vector == 1) {
    if (second_first && count > pass) {
      const std::size_t second = std::min(pass, count - pass);
      add_modulo<kTerms, kRows, Start::kFromZero>(row + pass * kRows, pass, second, sums);
      add_modulo<kTerms, kRows>(row, pass, pass, sums);
      row += (pass + second) * kRows;
      count -= pass + second;
      return add_modulo<kTerms, kRows>(row, pass, count, sums);
    }
    return add_modulo<kTerms, kRows, Start::kFromZero>(row, pass, count, sums);
  }
  std::fill_n(sums, threads * kRows, 0.0F);
  for (std::size_t first = 0; first < count; first += pass) {
    const Share share{vector, second_first && first == 0};
    add_pass<kTerms, kRows>(row + first * kRows, std::min(pass, count - first), share, sums);
  }
}

// What OrderedSum makes of the orders in threads.
SummationOrder block_of(SummationOrder order, std::size_t count) {
  if (order.kind == OrderKind::kTorchCudaMean) {
    order.vector = count < 128 ? 1 : 4;
    order.per_element = true;
    order.across = AcrossWarps::kHalving;
  }
  if (order.kind == OrderKind::kTriton) {
    const auto threads = static_cast<std::size_t>(order.threads);
    const std::size_t own = std::max<std::size_t>(std::bit_ceil(count) / threads, 1);
    order.vector = static_cast<int>(std::min(own, static_cast<std::size_t>(order.vector)));
    order.per_element = false;
    order.across = AcrossWarps::kXor;
  }
  return order;
}

// As OrderedSum::in_block, of a block_of().
template <FloatTerms kTerms, std::size_t kRows>
Partial<kRows> sum_block(const SummationOrder& block, const float* row, std::size_t count,
                         AlignedFloats& memory) {
  using Sum = Partial<kRows>;
  const auto vector = static_cast<std::size_t>(block.vector);
  auto threads = static_cast<std::size_t>(block.threads);
  while (threads > 1 && threads / 2 * vector >= count) threads /= 2;
  const std::size_t per_thread = block.per_element ? vector : 1;
  float* sums = room(memory, threads * per_thread * kRows);
  if (block.per_element) {
    add_modulo<kTerms, kRows, Start::kFromZero>(row, threads * vector, count, sums);
    for (std::size_t t = 0; t < threads && vector > 1; ++t) {
      const float* own = sums + t * vector * kRows;
      plain_sum(Sum::load(own), own + kRows, vector - 1).store(sums + t * kRows);
    }
  } else {
    const bool triton = block.kind == OrderKind::kTriton;
    add_to_threads<kTerms, kRows>(row, count, vector, threads, triton, sums);
  }
  std::size_t warps = 0;
  for (std::size_t first = 0; first < threads; first += kWarp) {
    const Sum warp = halves<kRows>(sums + first * kRows, std::min(kWarp, threads - first));
    warp.store(sums + warps++ * kRows);
  }
  if (block.across == AcrossWarps::kSequential) {
    return plain_sum(Sum::load(sums), sums + kRows, warps - 1);
  }
  return halves<kRows>(sums, warps);
}

// As OrderedSum::pairwise of a power of two, with leaves of eight.
template <FloatTerms kTerms, std::size_t kRows>
Partial<kRows> sum_halves(const float* row, std::size_t count, AlignedFloats& memory) {
  constexpr std::size_t kLeaf = 8;
  memory.assign(count / kLeaf * kRows, 0);
  add_pass<kTerms, kRows>(row, count, {kLeaf, false}, memory.data());
  return pairs<kRows>(memory.data(), count / kLeaf);
}

template <FloatTerms kTerms, std::size_t kRows>
Partial<kRows> sum_row(const SummationOrder& order, const float* row, std::size_t count,
                       AlignedFloats& memory) {
  switch (order.kind) {
    case OrderKind::kLanes:
      return sum_lanes<kTerms, kRows>(order, row, count, memory);
    case OrderKind::kTorchCascade: {
      const auto lanes = static_cast<std::size_t>(order.lanes);
      return sum_cascade<kTerms, kRows>(lanes, row, count, memory);
    }
    case OrderKind::kBlockTree:
    case OrderKind::kTorchCudaMean:
    case OrderKind::kTriton:
      return sum_block<kTerms, kRows>(order, row, count, memory);
    case OrderKind::kPairwise:
    case OrderKind::kAny:
      return sum_halves<kTerms, kRows>(row, count, memory);
    case OrderKind::kSequential:
      break;
  }
  return one_by_one<kTerms>(row, 0, count, Partial<kRows>::zero());
}

// To turned[i * kRowsTogether + r]: number i of row r; behind the last one so many more may be
// written as a vector has. Rows r, r + 4, r + 8 and r + 12 stand side by side first.
void turn(const FloatRowsView& view, std::size_t count, float* turned) {
  constexpr std::size_t kSide = 4;
  static_assert(kRowsTogether == kSide * kSide);
  const Floats tag;
  const std::size_t lanes = hn::Lanes(tag);
  HWY_ALIGN float sides[kSide][kSide * hn::MaxLanes(Floats())];
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto number = [&](std::size_t row) {
      return hn::LoadU(tag, view.first + row * view.step + i);
    };
    for (std::size_t r = 0; r < kSide; ++r) {
      hn::StoreInterleaved4(number(r), number(r + kSide), number(r + 2 * kSide),
                            number(r + 3 * kSide), tag, sides[r]);
    }
    for (std::size_t v = 0; v < kSide; ++v) {
      const auto side = [&](std::size_t r) { return hn::Load(tag, sides[r] + v * lanes); };
      hn::StoreInterleaved4(side(0), side(1), side(2), side(3), tag,
                            turned + (i * kSide + v * lanes) * kSide);
    }
  }
}

// Short rows cost little but what each sum costs by itself: there many are summed at once.
template <FloatTerms kTerms>
void sum_rows(const SummationOrder& order, const FloatRowsView& view, std::size_t count,
              std::size_t rows, AlignedFloats& memory, FloatRowSums& sums) {
  if (view.step <= kColumnsTogether && rows >= kRowsTogether / 4) {
    HWY_ALIGN float turned[(kColumnsTogether + hn::MaxLanes(Floats())) * kRowsTogether];
    turn(view, count, turned);
    sum_row<kTerms, kRowsTogether>(order, turned, count, memory).store(sums.data());
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    sum_row<kTerms, 1>(order, view.first + r * view.step, count, memory).store(&sums[r]);
  }
}

void sum_in_lanes(const SummationOrder& order, FloatTerms terms, const FloatRowsView& view,
                  std::size_t count, std::size_t rows, AlignedFloats& memory, FloatRowSums& sums) {
  const SummationOrder known = block_of(order, count);
  switch (terms) {
    case FloatTerms::kSquares:
      return sum_rows<FloatTerms::kSquares>(known, view, count, rows, memory, sums);
    case FloatTerms::kFusedSquares:
      return sum_rows<FloatTerms::kFusedSquares>(known, view, count, rows, memory, sums);
    case FloatTerms::kThemselves:
      return sum_rows<FloatTerms::kThemselves>(known, view, count, rows, memory, sums);
  }
}

}  // namespace
}  // namespace normcert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcert {
namespace {
HWY_EXPORT(sum_in_lanes);
}  // namespace

void sum_in_lanes(const SummationOrder& order, FloatTerms terms, const FloatRowsView& view,
                  std::size_t count, std::size_t rows, AlignedFloats& partial_sums,
                  FloatRowSums& sums) {
  HWY_DYNAMIC_DISPATCH(sum_in_lanes)(order, terms, view, count, rows, partial_sums, sums);
}

}  // namespace normcert
#endif
