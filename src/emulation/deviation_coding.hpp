// The coding of a table of small deviations: each entry (-2 to 1) becomes up to three decisions
// (is it zero? else, is it +1? else, is it -1?), each coded by a binary range coder under a
// probability that is learned from the decisions that followed the same 18 entries before. The
// tables repeat themselves with the steps of the function, which is what such a context sees. The
// coder is that of LZMA: 32-bit range, carry handled by the encoder, 16-bit probabilities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace normcert {

// Probabilities in units of 2^-16 that a decision is yes, by context. Encoder and decoder go
// through the same states.
class DeviationModel {
 public:
  static constexpr int kProbabilityBits = 16;

  DeviationModel() : probabilities_(kKinds * kContexts, kHalf) {}

  // Calls `decide(probability)`, which codes or tells one decision, until the entry is known.
  // `decide` also learns which decision it is from: 0 zero?, 1 one?, 2 minus one?
  template <typename Decide>
  int next(Decide decide) {
    const std::size_t context = static_cast<std::size_t>((history_ * kMultiplier) >> kShift);
    int entry = -2;
    constexpr std::array<int, kKinds> kMeaning = {0, 1, -1};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      std::uint16_t& probability = probabilities_[kind * kContexts + context];
      const bool yes = decide(probability, kMeaning[kind]);
      adapt(probability, yes);
      if (yes) {
        entry = kMeaning[kind];
        break;
      }
    }
    history_ = ((history_ << 2) | static_cast<std::uint64_t>(entry + 2)) & kHistoryMask;
    return entry;
  }

 private:
  static constexpr std::size_t kKinds = 3;
  static constexpr std::size_t kContexts = std::size_t{1} << 16;
  static constexpr int kShift = 64 - 16;
  static constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
  static constexpr std::uint64_t kHistoryMask = (std::uint64_t{1} << 36) - 1;
  static constexpr std::uint16_t kHalf = 0x8000;
  static constexpr std::uint16_t kLeast = 32;
  static constexpr int kRate = 4;

  static void adapt(std::uint16_t& probability, bool yes) {
    const int value = probability;
    const int moved = yes ? value + ((0x10000 - value) >> kRate) : value - (value >> kRate);
    const int highest = 0x10000 - kLeast;
    probability = static_cast<std::uint16_t>(moved < kLeast ? int{kLeast}
                                                            : (moved > highest ? highest : moved));
  }

  std::vector<std::uint16_t> probabilities_;
  std::uint64_t history_ = 0;
};

}  // namespace normcert
