// The fast comparison against the exact one: every count, maximum and witness must be the same.
#include "judge/certified_compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "judge/maxima.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

constexpr const FloatFormat* kInputs[] = {&kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2};
constexpr const FloatFormat* kOutputs[] = {&kFp32, &kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2, &kFp64};

// One random test: a case, outputs near (or far from) its exact results, limits.
struct Trial {
  Case value;
  TensorView got;
  Criteria criteria;
};

class TrialMaker {
 public:
  explicit TrialMaker(std::uint64_t seed) : random_(seed, "certified_compare") {}

  Trial make() {
    Trial trial;
    Case& value = trial.value;
    const FloatFormat& input = *kInputs[below(std::size(kInputs))];
    const FloatFormat& output = *kOutputs[below(std::size(kOutputs))];
    const std::size_t width = 1 + below(below(8) == 0 ? 200 : 24);
    const std::size_t rows = 1 + below(4);
    value.epsilon = read_epsilon(pick({"1e-6", "1e-5", "1e-12", "0.5", "1e-3"}), "", "");
    value.output = &output;
    Tensor x(input, rows, width);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t kind = below(4);
      for (std::size_t i = 0; i < width; ++i) x.set(r, i, element(input, kind, i));
    }
    value.x = std::move(x).share();
    if (below(4) != 0) {
      const FloatFormat& weight_format = *kInputs[below(std::size(kInputs))];
      Tensor weight(weight_format, 1, width);
      for (std::size_t i = 0; i < width; ++i) {
        weight.set(0, i, finite(round(dyadic_of(1 + 0.25 * normal()), weight_format)));
        if (below(9) == 0) weight.set(0, i, zero_of(weight_format, below(2) == 0));
        if (below(9) == 0) weight.set(0, i, round(dyadic_of(-1.0), weight_format));
      }
      value.weight = std::move(weight).share();
      value.weight_offset.binary64 = below(2) == 0 ? 0 : (below(2) == 0 ? 1 : 0.2);
    }
    if (below(8) == 0) {
      Tensor residual(input, rows, width);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < width; ++i) residual.set(r, i, element(input, 0, i));
      }
      value.residual = std::move(residual).share();
    }
    trial.got = outputs(value, output);
    if (below(2) == 0) {
      trial.criteria.tolerance =
          Tolerance{below(3) == 0 ? 0 : 1e-3 * uniform(), below(3) == 0 ? 0 : 1e-2 * uniform()};
    }
    if (below(2) == 0) trial.criteria.max_ulp = below(2) == 0 ? 0.5 : 3 * uniform();
    return trial;
  }

 private:
  std::uint64_t bits() { return random_.bits(index_++); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  double uniform() { return random_.uniform(index_++); }
  double normal() { return random_.normal(index_++); }
  std::string pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  static Code finite(Code code) {
    return is_finite(code) ? code : max_finite_of(*code.format, code.negative());
  }

  // Ordinary numbers, a constant row, any finite code, or one huge among tiny ones.
  Code element(const FloatFormat& format, std::size_t kind, std::size_t i) {
    switch (kind) {
      case 0:
        return finite(round(dyadic_of(normal()), format));
      case 1:
        return round(dyadic_of(0.75), format);
      case 2:
        return finite({bits() & (format.sign_mask() | format.magnitude_mask()), &format});
      default:
        return i == 0 ? max_finite_of(format, false)
                      : code_of_rank(static_cast<std::int64_t>(below(4)), format);
    }
  }

  // Mostly the correctly rounded result or its neighbours; sometimes any code.
  TensorView outputs(const Case& value, const FloatFormat& output) {
    Tensor got = rounded_reference(value, OutputTensor::kY);
    for (std::size_t r = 0; r < got.rows; ++r) {
      for (std::size_t i = 0; i < got.width; ++i) {
        Code code = got.at(r, i);
        const std::size_t choice = below(10);
        if (choice == 0) code = next_up(code);
        if (choice == 1) code = next_down(code);
        if (choice == 2) code = next_up(next_up(code));
        if (choice == 3 && below(4) == 0) {
          code = {bits() & (output.sign_mask() | output.magnitude_mask()), &output};
        }
        got.set(r, i, code);
      }
    }
    return std::move(got).share();
  }

  RandomStream random_;
  std::uint64_t index_ = 0;
};

void expect_same(const ErrorMaximum& fast, const ErrorMaximum& exact, const char* what) {
  ASSERT_EQ(fast.any, exact.any) << what;
  if (!fast.any) return;
  EXPECT_EQ(compare(fast.value, exact.value), 0) << what;
  EXPECT_EQ(fast.witness.row, exact.witness.row) << what;
  EXPECT_EQ(fast.witness.index, exact.witness.index) << what;
}

void expect_close(const RowShare& fast, const RowShare& exact, const char* what) {
  ASSERT_EQ(fast.any, exact.any) << what;
  if (std::isinf(exact.value) && std::isinf(fast.value)) return;  // outputs far beyond any y
  EXPECT_NEAR(fast.value, exact.value, 1e-4 * exact.value + 1e-12) << what;
}

void expect_same(const Comparison& fast, const Comparison& exact) {
  EXPECT_EQ(fast.expected, exact.expected);
  EXPECT_EQ(fast.compared, exact.compared);
  EXPECT_EQ(fast.rows_set_apart, exact.rows_set_apart);
  EXPECT_EQ(fast.non_finite.reference, exact.non_finite.reference);
  EXPECT_EQ(fast.non_finite.got, exact.non_finite.got);
  EXPECT_EQ(fast.non_finite.disagree, exact.non_finite.disagree);
  EXPECT_EQ(fast.below_normal, exact.below_normal);
  EXPECT_EQ(fast.correctly_rounded, exact.correctly_rounded);
  EXPECT_EQ(fast.faithful, exact.faithful);
  EXPECT_EQ(fast.zero_sign_differs, exact.zero_sign_differs);
  EXPECT_EQ(fast.outside_tolerance, exact.outside_tolerance);
  EXPECT_EQ(fast.unattainable, exact.unattainable);
  EXPECT_EQ(fast.beyond_max_ulp, exact.beyond_max_ulp);
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    EXPECT_EQ(fast.code_distance.count(i), exact.code_distance.count(i)) << "class " << i;
  }
  ASSERT_EQ(fast.first_outside.has_value(), exact.first_outside.has_value());
  if (fast.first_outside) {
    EXPECT_EQ(fast.first_outside->row, exact.first_outside->row);
    EXPECT_EQ(fast.first_outside->index, exact.first_outside->index);
  }
  expect_same(fast.absolute, exact.absolute, "absolute");
  expect_same(fast.relative, exact.relative, "relative");
  expect_same(fast.ulp, exact.ulp, "ulp");
  expect_close(fast.coherent, exact.coherent, "coherent");
  expect_close(fast.incoherent, exact.incoherent, "incoherent");
  EXPECT_EQ(fast.decided_by_bound + fast.decided_exactly, fast.compared);
}

// Every row by the double-double tier from its first element on.
Comparison begun_precisely(const Trial& trial) {
  BlockContext context;
  context.precisely = std::make_shared<std::atomic<bool>>(true);
  Comparison found = compare_block(trial.value, OutputTensor::kY, trial.got, trial.criteria, 0,
                                   trial.got.rows, context);
  settle_maxima(trial.value, OutputTensor::kY, found);
  return found;
}

// Which tier decides must not be seen in what is reported.
void expect_same_certificate(const Comparison& one, const Comparison& other) {
  expect_same(one, other);
  EXPECT_EQ(one.decided_by_bound, other.decided_by_bound);
  EXPECT_EQ(one.decided_exactly, other.decided_exactly);
  EXPECT_EQ(one.largest_bound, other.largest_bound);
  EXPECT_EQ(one.coherent.value, other.coherent.value);
  EXPECT_EQ(one.incoherent.value, other.incoherent.value);
}

TEST(CertifiedCompare, AgreesWithTheExactComparisonOnRandomCases) {
  constexpr std::uint64_t kSeed = 20260101;
  constexpr int kTrials = 3000;
  TrialMaker maker(kSeed);
  std::uint64_t by_bound = 0;
  std::uint64_t elements = 0;
  for (int i = 0; i < kTrials; ++i) {
    const Trial trial = maker.make();
    const Comparison fast = compare_certified(trial.value, OutputTensor::kY, trial.got,
                                              trial.criteria, 0, trial.got.rows);
    const Comparison exact = compare_exactly(trial.value, OutputTensor::kY, trial.got,
                                             trial.criteria, 0, trial.got.rows);
    expect_same(fast, exact);
    expect_same_certificate(begun_precisely(trial), fast);
    ASSERT_FALSE(HasFailure()) << "trial " << i << " of seed " << kSeed;
    by_bound += fast.decided_by_bound;
    elements += fast.compared;
  }
  // The comparison would prove nothing if the fast path never answered.
  EXPECT_GT(elements, 90000U);
  EXPECT_GT(by_bound, elements / 5);
}

// Rows whose exact results are rounding midpoints or numbers of the format: integers must decide.
TEST(CertifiedCompare, LeavesTiesToTheIntegers) {
  Case value;
  value.epsilon = read_epsilon("0x1p-40", "", "");
  value.output = &kBf16;
  Tensor x(kFp32, 1, 64);
  for (std::size_t i = 0; i < 64; ++i) x.set(0, i, code_of(1.0F));
  value.x = std::move(x).share();
  Tensor weight(kFp32, 1, 64);
  for (std::size_t i = 0; i < 64; ++i) weight.set(0, i, code_of(1.0F + 0x1p-8F));
  value.weight = std::move(weight).share();
  Tensor got = rounded_reference(value, OutputTensor::kY);
  const TensorView view = got.view();
  const Comparison fast = compare_certified(value, OutputTensor::kY, view, {}, 0, 1);
  EXPECT_EQ(fast.correctly_rounded, 64U);
  expect_same(fast, compare_exactly(value, OutputTensor::kY, view, {}, 0, 1));
}

// Gains that are alike in the screens' arithmetic and not exactly: the least of them, behind the
// others, has the greatest error although an equal element has been measured.
TEST(CertifiedCompare, TellsGainsApartThatScreensCannot) {
  for (const float least : {-0x1p-133F, 0x1.fffffep-3F}) {
    const float other = least < 0 ? 0x1p-132F : 0x1p-2F;
    Case value;
    value.epsilon = read_epsilon("1e-6", "", "");
    value.output = &kFp16;
    value.weight_offset.binary64 = 1;
    Tensor x(kFp32, 1, 17);
    Tensor weight(kFp32, 1, 17);
    for (std::size_t i = 0; i < 17; ++i) {
      x.set(0, i, code_of(3.0F));
      weight.set(0, i, code_of(i < 16 ? other : least));
    }
    value.x = std::move(x).share();
    value.weight = std::move(weight).share();
    Tensor got = rounded_reference(value, OutputTensor::kY);
    for (std::size_t i = 0; i < 17; ++i) got.set(0, i, next_up(next_up(got.at(0, i))));
    const Comparison fast = compare_certified(value, OutputTensor::kY, got.view(), {}, 0, 1);
    EXPECT_EQ(fast.ulp.witness.index, 16U);
    expect_same(fast, compare_exactly(value, OutputTensor::kY, got.view(), {}, 0, 1));
  }
}

// An error of zero is a maximum where all are: its witness is the first element, in whatever order
// the blocks are compared.
TEST(CertifiedCompare, NamesTheFirstOfElementsWithoutError) {
  Case value;
  value.epsilon = read_epsilon("1e-6", "", "");
  value.output = &kBf16;
  value.x = Tensor(kBf16, 2, 32).share();
  const TensorView got = Tensor(kBf16, 2, 32).share();
  const Comparison later = compare_block(value, OutputTensor::kY, got, {}, 1, 1);
  BlockContext context;
  context.known.raise(later);
  Comparison all = compare_block(value, OutputTensor::kY, got, {}, 0, 1, context);
  all.merge(later);
  settle_maxima(value, OutputTensor::kY, all);
  EXPECT_EQ(all.absolute.witness.row, 0U);
  EXPECT_EQ(all.absolute.witness.index, 0U);
  expect_same(all, compare_exactly(value, OutputTensor::kY, got, {}, 0, 2));
}

// An output beside a power of two has two ulps where the exact result is not known to lie on one
// side; no count depends on it.
TEST(CertifiedCompare, DecidesByBoundBesidePowersOfTwo) {
  Case value;
  value.epsilon = read_epsilon("0x1p-120", "", "");
  value.output = &kBf16;
  Tensor x(kBf16, 1, 16);
  for (std::size_t i = 0; i < 16; ++i) x.set(0, i, convert(code_of(1.0F), kBf16));
  value.x = std::move(x).share();
  const Tensor got = rounded_reference(value, OutputTensor::kY);
  for (const double max_ulp : {-1.0, 0.5, 1.0}) {
    Criteria criteria;
    if (max_ulp > 0) criteria.max_ulp = max_ulp;
    const Comparison fast = compare_certified(value, OutputTensor::kY, got.view(), criteria, 0, 1);
    EXPECT_EQ(fast.decided_by_bound, 16U);
    expect_same(fast, compare_exactly(value, OutputTensor::kY, got.view(), criteria, 0, 1));
  }
}

}  // namespace
}  // namespace normcert
