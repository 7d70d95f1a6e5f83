// A recipe: how a framework or kernel computes RMSNorm, down to each rounding, as plain data. It
// has a name and a version, and its meaning never changes under the same version. emulation
// carries it out; catalogue reads and writes the JSON form, whose keys are the members here (all
// may be left out, the defaults are those below; names of values: problem/recipe_names.hpp).
//
// One row x of n numbers, gain g (from weight w and offset c), epsilon e. Words below:
//   T, W     formats of x and of the weight as the steps see them (see `convert_inputs`)
//   C        compute format, in which every step runs unless a key says otherwise
//   S, q     sum of squares, and the statistic made of it (their mean, as a rule)
//   r, rms   the row's scalar: r = 1/sqrt(q + e) multiplies, rms = sqrt(q + e) divides
// Each arithmetic operation rounds once, to nearest even, to the wider of its operands' formats
// (bf16 with fp16: fp32); operands are widened exactly. Contraction into fused multiply-adds
// happens only where a key says "fma". Where a key says fp32 and C is wider, C is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/gate.hpp"

namespace normcert {

// The exact result rounded once to the output's format. It stands where a recipe's name may stand,
// but it is no recipe: it has no steps, so no recipe may take its name.
inline constexpr std::string_view kReferenceRounded = "reference.rounded";

enum class StatisticKind : std::uint8_t {
  kMeanSquare,         // q = S / n
  kSumSquare,          // q = S
  kMeanSquareNMinus1,  // q = S / (n - 1)
  kVariance,           // x is replaced by x - mean(x) first, in the statistic and the numerator
  kPartial,            // the mean of squares of the first floor(fraction * n) elements
};

enum class StepFormat : std::uint8_t { kBinary32, kBinary64, kInput };  // binary32, binary64, T

// Format of the partial sums. Terms are converted to it, one rounding, before they are added.
enum class Accumulation : std::uint8_t {
  kBinary32,
  kBinary64,
  kInput,  // T
  kExact,  // no rounding but one of the whole sum, to fp32
  kKahan,  // Kahan's compensated sum in fp32: y = p - c; t = s + y; c = (t - s) - y; s = t
};

enum class OrderKind : std::uint8_t {
  kSequential,    // ((p0 + p1) + p2) + ...
  kPairwise,      // halves of n/2 (rounded down) and the rest, recursively; at most `base` in order
  kLanes,         // SIMD lanes, see SummationOrder
  kTorchCascade,  // PyTorch's sum over a contiguous last dimension on the CPU
  kBlockTree,     // a GPU thread block: a thread's share, then warps of 32, then across warps
  kAny,           // not known; emulated as pairwise with base 8
  kTorchCudaMean,  // PyTorch's mean over a contiguous last dimension on a GPU
  kTriton,         // Triton's tl.sum over a row that one program holds
};

enum class LaneTail : std::uint8_t { kFirst, kLast };
enum class LaneCombine : std::uint8_t {
  kHalves,      // lane i + lane i + L/2, and so on
  kPairs,       // lane 2i + lane 2i+1, and so on (horizontal adds)
  kSequential,  // lane 0 + lane 1 + lane 2 ...
};
enum class WarpReduction : std::uint8_t { kXor, kDown };  // the same sum; the names as in sources
enum class AcrossWarps : std::uint8_t {
  kXor,  // as halving: warp i + warp i + count/2, and so on
  kHalving,
  kSequential,  // warp 0 + warp 1 + warp 2 ...
};

// In which order the terms are added. Every accumulator starts at zero.
//
// lanes: vector j (elements jL .. jL + L - 1) goes to accumulator j mod `accumulators`. At the end
// accumulators are added to the first one by one, then its lanes are combined. The n mod L
// elements of the tail are added one by one: from zero, before the lanes join that sum (`first`;
// lanes combined sequentially join one by one), or to the combined lanes (`last`).
//
// torch_cascade: vectors of `lanes` binary32 lanes (half as many in binary64); vector i goes to
// accumulator i mod 4, each a cascade of four levels; the lanes join the sum of the tail one by
// one. See emulation/torch_cascade.hpp.
//
// block_tree: vector j (of `vector` elements) goes to thread j mod `threads`, which adds its
// elements one by one; with `per_element` it keeps a sum for each position in a vector, and adds
// those one by one at the end.
//
// torch_cuda_mean: block_tree of `threads` threads, one warp where a tensor has 16 rows or more;
// vectors of 4 with a sum for each place from 128 elements on, single elements below. (A row that
// does not start at a multiple of 4 elements, which happens where 4 does not divide the width, is
// added in another order: not emulated.)
//
// triton: as block_tree of `threads` threads (32 for each of num_warps) and vectors of `vector`
// elements, but a thread adds its second element before its first: the compiler starts with the
// square of the second and fuses the others onto it. Rows are padded with zeros to a power of two,
// which makes the vectors shorter where there are fewer elements than threads can hold.
struct SummationOrder {
  OrderKind kind = OrderKind::kAny;
  int base = 8;          // pairwise
  int lanes = 8;         // lanes, torch_cascade
  int accumulators = 1;  // lanes
  LaneTail tail = LaneTail::kLast;
  LaneCombine combine = LaneCombine::kHalves;
  int threads = 256;         // block_tree, torch_cuda_mean, triton; a power of two, at most 1024
  int vector = 1;            // block_tree, triton (there a power of two)
  bool per_element = false;  // block_tree
  WarpReduction warp = WarpReduction::kXor;
  AcrossWarps across = AcrossWarps::kXor;
  // sequential, lanes, block_tree, triton: a square is added by one fused multiply-add, never
  // rounded.
  bool fma = false;
  // any: how many additions a term may pass through; none: n - 1, right for every order.
  std::optional<int> depth;

  // Compares what the kind uses.
  friend bool operator==(const SummationOrder& a, const SummationOrder& b);
};

enum class MeanStep : std::uint8_t {
  kDivide,              // S / n, n rounded to the format of the division
  kMultiplyReciprocal,  // S * (1/n), 1/n rounded
  kPrescaled,           // each square is multiplied by the rounded 1/n, then they are added
};

struct StatisticStep {
  StatisticKind kind = StatisticKind::kMeanSquare;
  std::optional<int> group;        // one statistic for each `group` consecutive elements
  std::optional<double> fraction;  // partial: 0 < fraction <= 1; fraction * n in binary64
  StepFormat square = StepFormat::kBinary32;  // x is converted to this, x * x rounded to it
  Accumulation accumulate = Accumulation::kBinary32;
  SummationOrder order;
  // Done in the wider of the sum's format and C, then converted to C.
  MeanStep mean = MeanStep::kDivide;
};

enum class EpsilonPosition : std::uint8_t {
  kInside,         // sqrt(q + e)
  kOutside,        // sqrt(q) + e
  kAfterRsqrt,     // r = 1/sqrt(q) + e
  kClampQ,         // sqrt(max(q, e)); NaN wins
  kClampRms,       // max(sqrt(q), e)
  kClampRmsSqrtN,  // max(sqrt(S), sqrt(n e)) over sqrt(n)
  kOnSum,          // sqrt((S + e) / n)
  kScaledByMax,    // m = max |x|: m sqrt(mean((x/m)^2) + e)
  kNone,           // sqrt(q)
};

struct EpsilonStep {
  EpsilonPosition position = EpsilonPosition::kInside;
  // Format to which the declared value is rounded; its addition runs in the wider of this and the
  // statistic's format and is then converted to the latter.
  StepFormat dtype = StepFormat::kBinary32;
  // What the implementation takes where none is given, as text; none: it must be given.
  std::optional<std::string> preset;
};

enum class RootKind : std::uint8_t {
  kReciprocalOfSqrt,  // square root, then 1/..., two roundings
  kDivideBySqrt,      // the tail divides by the square root
  kRsqrtCorrect,      // 1/sqrt correctly rounded
  kRsqrtApprox,       // within max_ulp of 1/sqrt; emulated by rsqrt_table, else correctly rounded
};

// Differs only where C is narrower than fp32 and square root and reciprocal follow one another.
enum class RootRounding : std::uint8_t {
  kOnce,    // both in fp32, the result converted to C
  kEachOp,  // each rounded to C
};

struct RootStep {
  RootKind kind = RootKind::kReciprocalOfSqrt;
  RootRounding rounding = RootRounding::kOnce;
  int max_ulp = 2;       // rsqrt_approx: greatest deviation from 1/sqrt, in ulp of C
  int newton_steps = 0;  // rsqrt_approx: r = r (1.5 - ((e/2) r) r) after it, each op rounded
};

// What is rounded to T on the way although C is wider.
enum class StatisticRounding : std::uint8_t {
  kNone,
  kMean,  // q
  kRms,   // the square root
  kRstd,  // r
  kAll,   // q, q with epsilon, and the scalar that the tail uses
};

enum class Association : std::uint8_t {
  kXrThenW,    // (x*r)*w
  kXTimesRw,   // x*(r*w)
  kXwThenR,    // (x*w)*r
  kXOverRmsW,  // (x/rms)*w
  kXwOverRms,  // (x*w)/rms
  kWOverRmsX,  // (w/rms)*x
  kXr,         // x*r, no weight
  kFmaXrWXr,   // fma(x*r, w, x*r): the gain 1 + w is never rounded
};

enum class CastPoint : std::uint8_t {
  kBeforeWeight,               // x*r is converted to T, then multiplied by the gain
  kBeforeWeightToWeightDtype,  // the same, to W where W is narrower than fp32
  kAfterWeight,                // C throughout, one conversion at the end
  kEveryOp,                    // C is T: every operation of the recipe rounds to T
  kNone,                       // as after_weight; for programs that keep activations in fp32
};

enum class WeightForm : std::uint8_t {
  kW,
  kOnePlusW,
  kOffsetPlusW,  // with the model's weight offset
  kNone,         // the gain is 1 whatever the weight
};

enum class OffsetFormat : std::uint8_t {
  kBinary32,
  kWeight,  // W
  kExact,   // the sum is not rounded; its product with x*r is, once
};

struct WeightStep {
  WeightForm form = WeightForm::kW;
  OffsetFormat offset_dtype = OffsetFormat::kBinary32;  // offset and sum are rounded to this
  // A bias of zeros is added before the last conversion: -0 becomes +0, nothing else changes.
  bool bias = false;
};

// A residual row is added first, z = x + residual; residual_out is z rounded to its format. Given
// a residual, a recipe that has none behaves as `rounded`: an addition of its own before the norm.
enum class ResidualMode : std::uint8_t {
  kNone,
  kRounded,             // z is rounded to T; statistic and numerator use that
  kUnrounded,           // z is rounded to C only
  kUnroundedStatistic,  // the statistic uses z rounded to C, the numerator z rounded to T
};

// How a gate's activation is computed. The gate is converted to C first; the steps of `form` run in
// binary32, or in C where that is wider, each rounded once; the result is converted to C, and its
// product with the row (`before`: with the row in C, `after`: with the weighted row, converted to
// C) is rounded to C.
enum class ActivationForm : std::uint8_t {
  kQuotient,  // silu: g / (1 + exp(-g)); sigmoid: 1 / (1 + exp(-g))
  kProduct,   // silu: g * (1 / (1 + exp(-g))); sigmoid: as quotient
  kFactors,   // silu: the row is multiplied by g, then by 1 / (1 + exp(-g)); sigmoid: as quotient
};
enum class Exponential : std::uint8_t {
  kAny,       // not known: within max_ulp of e^-g, emulated as e^-g rounded once
  kSleefU10,  // Sleef_expf_u10, which PyTorch's vectors of binary32 on the CPU use
};

struct ActivationStep {
  Activation kind = Activation::kSilu;
  ActivationForm form = ActivationForm::kQuotient;
  Exponential exponential = Exponential::kAny;
  int max_ulp = 4;           // any: greatest deviation of the exponential, in ulp
  int division_max_ulp = 0;  // any: that of the quotient from the correctly rounded one, in ulp
};

enum class OutputFormat : std::uint8_t {
  kInput,    // format of x as given
  kWeight,   // format of the weight as given
  kPromote,  // the wider of the two (bf16 with fp16: fp32)
  kBinary32,
};

enum class StoreRounding : std::uint8_t { kNearestEven, kTruncate };  // of the last conversion

// Of operations narrower than binary64, by sign-preserving zeros; conversions never flush.
enum class FlushMode : std::uint8_t { kNone, kInputs, kResults };

enum class PreStep : std::uint8_t { kNone, kDivideByMax, kClamp65504 };  // x/max|x|; |x| <= 65504

enum class ComputeFormat : std::uint8_t {
  kBinary32,
  kAtLeastFp32,  // binary64 where T is, else binary32
  kBinary64,
};

// T and W: formats to which x, residual and weight are converted before everything else.
enum class InputConversion : std::uint8_t { kNone, kBinary16, kBfloat16, kBinary32, kBinary64 };

// A device's measured results of rsqrt.approx in binary32 (emulation/rsqrt_table.hpp). A root in
// binary64 does not use it.
enum class RsqrtTable : std::uint8_t {
  kSm90,  // MUFU.RSQ of NVIDIA's compute capability 9.0
};

// Two operations that a compiler fused into one, besides what the order of the sum says.
enum class Contraction : std::uint8_t {
  kMeanWithEpsilon,  // fma(S, 1/n, e): the mean is never rounded; 1/n is
};

struct Recipe {
  std::string name;
  int version = 1;
  std::string note;
  std::string source;                     // what was read or measured
  std::vector<std::string> confirmed_by;  // captures that it reproduces; empty: unconfirmed
  std::string would_confirm;              // what would confirm it

  InputConversion convert_inputs = InputConversion::kNone;
  ComputeFormat compute = ComputeFormat::kBinary32;
  PreStep before = PreStep::kNone;
  StatisticStep statistic;
  EpsilonStep epsilon;
  RootStep root;
  StatisticRounding statistic_rounding = StatisticRounding::kNone;
  Association association = Association::kXrThenW;
  CastPoint cast = CastPoint::kBeforeWeight;
  WeightStep weight;
  ResidualMode residual = ResidualMode::kNone;
  GateMode gate = GateMode::kNone;
  ActivationStep activation;  // of the gate; unused without one
  OutputFormat output = OutputFormat::kInput;
  StoreRounding rounding = StoreRounding::kNearestEven;
  FlushMode flush = FlushMode::kNone;
  std::optional<RsqrtTable> rsqrt_table;
  std::vector<Contraction> contract;
};

// Whether an order knows `fma`.
[[nodiscard]] bool has_fma(OrderKind kind);

[[nodiscard]] bool contracts(const Recipe& recipe, Contraction what);

// Whether the tail divides by rms rather than multiplying by r.
[[nodiscard]] bool divides_by_rms(Association association);

// One member as it stands in the JSON form: "statistic.order" and {"kind": "sequential"}.
struct RecipeMember {
  std::string key;
  std::string json;  // one line
  friend bool operator==(const RecipeMember&, const RecipeMember&) = default;
};

// What a recipe is called and rests on: name ... would_confirm, in the order of the JSON form.
[[nodiscard]] std::vector<RecipeMember> descriptions_of(const Recipe& recipe);
// What it computes: every other member, in the order of the JSON form.
[[nodiscard]] std::vector<RecipeMember> parameters_of(const Recipe& recipe);

// `recipe` with one parameter as in `other`, which is how one recipe is turned into another step by
// step. The result may have a conflict. Requires a key of parameters_of().
[[nodiscard]] Recipe with_parameter(const Recipe& recipe, const Recipe& other,
                                    std::string_view key);

struct RecipeDifference {
  std::string key;
  std::string from;
  std::string to;
};

// The parameters in which two recipes differ; empty where they compute the same steps.
[[nodiscard]] std::vector<RecipeDifference> differences(const Recipe& from, const Recipe& to);

// A parameter, or two of them together, that no evaluation is defined for.
struct RecipeConflict {
  std::string key;     // where it stands: "association"
  std::string reason;  // "(x/rms)*w is not supported together with root.kind rsqrt_correct"
};

// The first conflict of the recipe, or nothing: then every row can be emulated whose width the
// groups and the fraction fit.
[[nodiscard]] std::optional<RecipeConflict> find_conflict(const Recipe& recipe);

}  // namespace normcert
