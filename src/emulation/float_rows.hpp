// Rows of binary32 numbers in vectors: reading and writing tensors, rounding to narrower formats,
// and the operations of a recipe's tail. Each function gives the same bits under every target of
// numeric/simd_target.hpp. Requires round-to-nearest and subnormals neither flushed nor read as
// zero (arithmetic_is_default()); buffers may not overlap but where they are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "numeric/float_format.hpp"

namespace normcert {

// Formats whose numbers are binary32 numbers, and which these functions read and write.
enum class FloatStorage : std::uint8_t { kBinary32, kBfloat16, kBinary16 };

// None for other formats.
[[nodiscard]] std::optional<FloatStorage> float_storage(const FloatFormat& format);

// Exact; NaN and infinities keep their kind.
void load_floats(FloatStorage storage, const std::byte* bytes, std::size_t count, float* values);
// *Correctly rounded*, to nearest even; NaN becomes the format's quiet NaN without sign or payload.
void store_floats(FloatStorage storage, const float* values, std::size_t count, std::byte* bytes);
// *Correctly rounded* to numbers of that format, in place; nothing happens to binary32.
void round_floats(FloatStorage storage, float* values, std::size_t count);

// Each number rounded to that format, then its square rounded to it; *correctly rounded* both.
// `from` and `to` may be the same.
void square_floats(FloatStorage storage, const float* from, std::size_t count, float* to);

// Where sums of two rows go: `rounded` and `stored` (nullptr: not wanted) to the format of the two.
struct AddedFloats {
  float* sums = nullptr;
  float* rounded = nullptr;
  std::byte* stored = nullptr;  // as store_floats() does
};
// *Correctly rounded*: a[i] + b[i] of two rows of codes, to binary32 or, where it `rounds`, from
// there to their format (for which binary32 is wide enough, see emulation/vector_evaluator.hpp).
void add_codes(FloatStorage storage, bool rounds, const std::byte* a, const std::byte* b,
               std::size_t count, const AddedFloats& to);

// How many of the codes have the same bits in both, or are NaN in both. Exact.
[[nodiscard]] std::size_t count_same_codes(FloatStorage storage, const std::byte* a,
                                           const std::byte* b, std::size_t count);
// Of `rows` rows of `count` codes, one behind the other.
void count_same_codes(FloatStorage storage, const std::byte* a, const std::byte* b,
                      std::size_t count, std::size_t rows, std::size_t* same);

// *Correctly rounded*: to[i] = a[i] + b[i].
void add_floats(const float* a, const float* b, std::size_t count, float* to);

// What becomes of elements a and b (the row and the gain, or the gain and the row) and a scalar s.
enum class TailOperation : std::uint8_t {
  kScale,              // a s, without b
  kDivide,             // a / s, without b
  kScaleThenMultiply,  // (a s) b
  kDivideThenMultiply,
  kMultiplyThenScale,  // (a b) s
  kMultiplyThenDivide,
};

struct FloatTail {
  TailOperation operation = TailOperation::kScale;
  FloatStorage between = FloatStorage::kBinary32;  // what the first of two operations rounds to
  FloatStorage output = FloatStorage::kBinary32;   // what the last one does
};

// *Correctly rounded* at each operation (the output's from binary32, see
// emulation/vector_evaluator.hpp), NaN as store_floats() has it.
void store_tail(const FloatTail& tail, const float* a, const float* b, float s, std::size_t count,
                std::byte* bytes);
// Of `rows` rows of `count` elements, one behind the other, with a scalar each. From one row to the
// next a and b go on by so many elements (0: all rows have the same).
struct TailSteps {
  std::size_t a = 0;
  std::size_t b = 0;
};
void store_tails(const FloatTail& tail, const float* a, const float* b, TailSteps steps,
                 const float* scalars, std::size_t count, std::size_t rows, std::byte* bytes);

}  // namespace normcert
