// The names that the values of a recipe have in its JSON form, in the order of the enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "problem/recipe.hpp"

namespace normcert {

template <typename Enum>
struct EnumNames;  // one specialisation per enumeration of a recipe

template <typename Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) {
  return EnumNames<Enum>::kNames[static_cast<std::size_t>(value)];
}

template <std::size_t kCount>
using NameList = std::array<std::string_view, kCount>;

template <>
struct EnumNames<StatisticKind> {
  static constexpr NameList<5> kNames = {"mean_square", "sum_square", "mean_square_n_minus_1",
                                         "variance", "partial"};
};
template <>
struct EnumNames<StepFormat> {
  static constexpr NameList<3> kNames = {"fp32", "fp64", "input"};
};
template <>
struct EnumNames<Accumulation> {
  static constexpr NameList<5> kNames = {"fp32", "fp64", "input", "exact", "kahan"};
};
template <>
struct EnumNames<OrderKind> {
  static constexpr NameList<8> kNames = {"sequential",      "pairwise",   "lanes",
                                         "torch_cascade",   "block_tree", "any",
                                         "torch_cuda_mean", "triton"};
};
template <>
struct EnumNames<LaneTail> {
  static constexpr NameList<2> kNames = {"first", "last"};
};
template <>
struct EnumNames<LaneCombine> {
  static constexpr NameList<3> kNames = {"halves", "pairs", "sequential"};
};
template <>
struct EnumNames<WarpReduction> {
  static constexpr NameList<2> kNames = {"xor", "down"};
};
template <>
struct EnumNames<AcrossWarps> {
  static constexpr NameList<3> kNames = {"xor", "halving", "sequential"};
};
template <>
struct EnumNames<MeanStep> {
  static constexpr NameList<3> kNames = {"divide", "multiply_reciprocal", "prescaled"};
};
template <>
struct EnumNames<EpsilonPosition> {
  static constexpr NameList<9> kNames = {"inside",  "outside",       "after_rsqrt",
                                         "clamp_q", "clamp_rms",     "clamp_rms_sqrt_n",
                                         "on_sum",  "scaled_by_max", "none"};
};
template <>
struct EnumNames<RootKind> {
  static constexpr NameList<4> kNames = {"reciprocal_of_sqrt", "divide_by_sqrt", "rsqrt_correct",
                                         "rsqrt_approx"};
};
template <>
struct EnumNames<RootRounding> {
  static constexpr NameList<2> kNames = {"once", "each_op"};
};
template <>
struct EnumNames<StatisticRounding> {
  static constexpr NameList<5> kNames = {"none", "mean", "rms", "rstd", "all"};
};
template <>
struct EnumNames<Association> {
  static constexpr NameList<8> kNames = {"(x*r)*w",   "x*(r*w)",   "(x*w)*r", "(x/rms)*w",
                                         "(x*w)/rms", "(w/rms)*x", "x*r",     "fma(x*r,w,x*r)"};
};
template <>
struct EnumNames<CastPoint> {
  static constexpr NameList<5> kNames = {"before_weight", "before_weight_to_weight_dtype",
                                         "after_weight", "every_op", "none"};
};
template <>
struct EnumNames<WeightForm> {
  static constexpr NameList<4> kNames = {"w", "1+w", "offset+w", "none"};
};
template <>
struct EnumNames<OffsetFormat> {
  static constexpr NameList<3> kNames = {"fp32", "weight", "exact"};
};
template <>
struct EnumNames<ResidualMode> {
  static constexpr NameList<4> kNames = {"none", "rounded", "unrounded", "unrounded_statistic"};
};
template <>
struct EnumNames<GateMode> {
  static constexpr NameList<3> kNames = {"none", "before", "after"};
};
template <>
struct EnumNames<Activation> {
  static constexpr NameList<2> kNames = {"silu", "sigmoid"};
};
template <>
struct EnumNames<ActivationForm> {
  static constexpr NameList<3> kNames = {"quotient", "product", "factors"};
};
template <>
struct EnumNames<Exponential> {
  static constexpr NameList<2> kNames = {"any", "sleef_u10"};
};
template <>
struct EnumNames<OutputFormat> {
  static constexpr NameList<4> kNames = {"input", "weight", "promote", "fp32"};
};
template <>
struct EnumNames<StoreRounding> {
  static constexpr NameList<2> kNames = {"nearest_even", "truncate"};
};
template <>
struct EnumNames<FlushMode> {
  static constexpr NameList<3> kNames = {"none", "inputs", "results"};
};
template <>
struct EnumNames<PreStep> {
  static constexpr NameList<3> kNames = {"none", "divide_by_max", "clamp_65504"};
};
template <>
struct EnumNames<ComputeFormat> {
  static constexpr NameList<3> kNames = {"fp32", "at_least_fp32", "fp64"};
};
template <>
struct EnumNames<RsqrtTable> {
  static constexpr NameList<1> kNames = {"sm_90"};
};
template <>
struct EnumNames<Contraction> {
  static constexpr NameList<1> kNames = {"mean+epsilon"};
};
template <>
struct EnumNames<InputConversion> {
  static constexpr NameList<5> kNames = {"none", "fp16", "bf16", "fp32", "fp64"};
};

}  // namespace normcert
