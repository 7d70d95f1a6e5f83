// The activations of gates: the two machines, what is known of PyTorch's, and the ends of what is
// not known.
#include "emulation/activation_step.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulation/arithmetic.hpp"
#include "emulation/exact_machine.hpp"
#include "emulation/hardware_machine.hpp"
#include "emulation/number_samples.hpp"
#include "numeric/rounding.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

const ExactMachine kExact(FlushMode::kNone);
const HardwareMachine kHardware(FlushMode::kNone);

Code exactly(const ActivationStep& step, Code g, const FloatFormat& compute,
             ActivationEnd end = ActivationEnd::kEmulated) {
  return ActivationEvaluator(kExact, step, compute)(g, end);
}

float in_hardware(const ActivationStep& step, float g) {
  const HardwareMachine::Scalar scalar{double{g}, &kFp32};
  return static_cast<float>(ActivationEvaluator(kHardware, step, kFp32)(scalar).value);
}

TEST(ActivationStep, TheMachinesAgree) {
  const RandomStream random(1, "activation");
  std::size_t compared = 0;
  for (const FloatFormat* compute : {&kBf16, &kFp16, &kFp32, &kFp64}) {
    for (const Activation kind : {Activation::kSilu, Activation::kSigmoid}) {
      for (std::size_t form = 0; form < EnumNames<ActivationForm>::kNames.size(); ++form) {
        for (const Exponential exponential : {Exponential::kAny, Exponential::kSleefU10}) {
          if (*compute == kFp64 && exponential == Exponential::kSleefU10) continue;
          const ActivationStep step{.kind = kind,
                                    .form = static_cast<ActivationForm>(form),
                                    .exponential = exponential,
                                    .max_ulp = 5,
                                    .division_max_ulp = 1};
          const ActivationEvaluator slow(kExact, step, *compute);
          const ActivationEvaluator fast(kHardware, step, *compute);
          for (std::uint64_t i = 0; i < 300; ++i) {
            const Code g = i % 3 == 0 ? any_code(*compute, random, i)
                                      : near_code(*compute, static_cast<int>(i % 9) - 4, random, i);
            for (const ActivationEnd end :
                 {ActivationEnd::kEmulated, ActivationEnd::kGreatest, ActivationEnd::kLeast}) {
              const Code a = slow(g, end);
              const auto b = fast({to_binary64(g), compute}, end);
              EXPECT_TRUE(same_bits(a, convert(code_of(b.value), *compute)))
                  << name_of(kind) << ' ' << form << ' ' << compute->name << ' ' << to_binary64(g);
              ++compared;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 30000U);
}

// silu and sigmoid of PyTorch 2.11 on a CPU with AVX-512, of gates from end to end.
TEST(ActivationStep, PyTorchOnTheCpu) {
  const ActivationStep silu{.exponential = Exponential::kSleefU10};
  ActivationStep sigmoid = silu;
  sigmoid.kind = Activation::kSigmoid;
  struct Measured {
    float g, silu, sigmoid;
  };
  constexpr Measured kMeasured[] = {
      {-0x1.329164p+2F, -0x1.437532p-5F, 0x1.0e1a9ap-7F},
      {-0x1.a229d4p+2F, -0x1.36bc3cp-7F, 0x1.7c77p-10F},
      {-0x1.34fd94p+1F, -0x1.95f344p-3F, 0x1.5054ep-4F},
      {0x1.1fb984p+0F, 0x1.b24dp-1F, 0x1.826a2p-1F},
      {-0x1.a92048p+0F, -0x1.0f8724p-2F, 0x1.4703a4p-3F},
      {-0x1.d1252cp+1F, -0x1.7f0364p-4F, 0x1.a59844p-6F},
      {0x1.29dfe4p+1F, 0x1.0f64c6p+1F, 0x1.d27bcp-1F},
      {0x1.8a8e16p-3F, 0x1.b071b4p-4F, 0x1.18956ep-1F},
      {0x1.3e4054p-2F, 0x1.6f4fe2p-3F, 0x1.2776dap-1F},
      {0x1.12dffep-1F, 0x1.5af012p-2F, 0x1.431d4cp-1F},
      {0x1.47cea8p+1F, 0x1.304e6ap+1F, 0x1.db4b44p-1F},
      {-0x1.be02f2p+1F, -0x1.a8b5cp-4F, 0x1.e78bfep-6F},
      {0x1.2ac896p+0F, 0x1.c7b82ap-1F, 0x1.8676bcp-1F},
      {0x1.fe7298p-2F, 0x1.3d8d0ep-2F, 0x1.3e8448p-1F},
      {-0x1.c4ac4p+0F, -0x1.07edp-2F, 0x1.2a840cp-3F},
      {-0x1.a78b0ep+1F, -0x1.ddf978p-4F, 0x1.20e64ep-5F},
      {-0x1.7fcbbap+1F, -0x1.23ac2ap-3F, 0x1.851a84p-5F},
      {-0x1.3608d4p-2F, -0x1.07749ap-3F, 0x1.b313fep-2F},
      {-0x1.1b2a88p+1F, -0x1.befb4cp-3F, 0x1.94197ap-4F},
      {0x1.6b8db8p-1F, 0x1.e776cap-2F, 0x1.5740b8p-1F},
      {-0x1.8d9234p+1F, -0x1.10a284p-3F, 0x1.5f1ac4p-5F},
      {-0x1.2670d4p-1F, -0x1.a81268p-3F, 0x1.70b508p-2F},
      {-0x1.be736cp+0F, -0x1.09bfc6p-2F, 0x1.30c462p-3F},
      {0x1.04b016p+1F, 0x1.cd3404p+0F, 0x1.c4e8dap-1F},
      {-0x1.151f7cp+6F, -0x1.1eb2f4p-94F, 0x1.08d89cp-100F},
      {-0x1.9091dap+6F, -0x0p+0F, 0x0p+0F},
      {0x1.67e984p+4F, 0x1.67e984p+4F, 0x1p+0F},
      {-0x1.8c5a24p+5F, -0x1.1cc946p-66F, 0x1.6fe1ap-72F},
      {-0x1.a91bdp+1F, -0x1.da1cep-4F, 0x1.1d82ap-5F},
      {-0x1.a5e1f8p+6F, -0x0p+0F, 0x0p+0F},
      {-0x1.3f3cdcp+6F, -0x1.219448p-109F, 0x1.d06edcp-116F},
      {0x1.3d700ep+4F, 0x1.3d700ep+4F, 0x1p+0F},
      {-0x1.6fc338p+4F, -0x1.490664p-29F, 0x1.ca11c4p-34F},
      {-0x1.22dc48p+6F, -0x1.367fap-99F, 0x1.1148cep-105F},
      {0x1.b6de0ap+6F, 0x1.b6de0ap+6F, 0x1p+0F},
      {0x1.7f2bb8p+5F, 0x1.7f2bb8p+5F, 0x1p+0F},
      {-0x1.18f4fp+5F, -0x1.61eef2p-46F, 0x1.427e86p-51F},
      {0x1.a099bap+1F, 0x1.911ec4p+1F, 0x1.ecf98ap-1F},
      {-0x1.686e5p+5F, -0x1.68af38p-60F, 0x1.002e1ap-65F},
      {0x1.808036p+6F, 0x1.808036p+6F, 0x1p+0F},
      {0x1.d4e09p+4F, 0x1.d4e09p+4F, 0x1p+0F},
      {-0x1.210998p+6F, -0x1.e6b262p-99F, 0x1.af110ap-105F},
      {0x1.541ed4p+5F, 0x1.541ed4p+5F, 0x1p+0F},
      {-0x1.1c4656p+6F, -0x1.89a17ap-97F, 0x1.627aaap-103F},
      {0x1.de3e38p+3F, 0x1.de3e2cp+3F, 0x1.fffff4p-1F},
      {0x1.85ba5cp+6F, 0x1.85ba5cp+6F, 0x1p+0F},
      {0x1.a29b48p+6F, 0x1.a29b48p+6F, 0x1p+0F},
      {0x1.710772p+6F, 0x1.710772p+6F, 0x1p+0F},
      {0x1.685256p-9F, 0x1.68d12p-10F, 0x1.005a14p-1F},
      {0x1.2b022p-11F, 0x1.2b17f4p-12F, 0x1.0012bp-1F},
      {0x1.ba3048p-17F, 0x1.ba3106p-18F, 0x1.00006ep-1F},
      {0x1.3d5f3ep-14F, 0x1.3d625p-15F, 0x1.00027ap-1F},
      {0x1.15764ap-13F, 0x1.157afep-14F, 0x1.000456p-1F},
      {-0x1.558cbcp-11F, -0x1.55704p-12F, 0x1.ffd54cp-2F},
      {0x1.a14f8ap-13F, 0x1.a15a2ap-14F, 0x1.000686p-1F},
      {0x1.ae72ap-11F, 0x1.ae9fdcp-12F, 0x1.001ae6p-1F},
      {-0x1.22ab18p-14F, -0x1.22a886p-15F, 0x1.fffb78p-2F},
      {-0x1.7f1f78p-11F, -0x1.7efba2p-12F, 0x1.ffd01cp-2F},
      {0x1.397344p-14F, 0x1.397644p-15F, 0x1.000274p-1F},
      {0x1.583108p-14F, 0x1.5834a6p-15F, 0x1.0002bp-1F},
  };
  for (const Measured& one : kMeasured) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(in_hardware(silu, one.g)),
              std::bit_cast<std::uint32_t>(one.silu))
        << one.g;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(in_hardware(sigmoid, one.g)),
              std::bit_cast<std::uint32_t>(one.sigmoid))
        << one.g;
  }
}

TEST(ActivationStep, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Exponential exponential : {Exponential::kAny, Exponential::kSleefU10}) {
    const ActivationStep silu{.exponential = exponential};
    ActivationStep sigmoid = silu;
    sigmoid.kind = Activation::kSigmoid;
    EXPECT_EQ(in_hardware(silu, 0.0F), 0.0F);
    EXPECT_TRUE(std::signbit(in_hardware(silu, -0.0F)));
    EXPECT_EQ(in_hardware(sigmoid, 0.0F), 0.5F);
    EXPECT_EQ(in_hardware(silu, 200.0F), 200.0F);
    // e^200 overflows: the quotient is a zero, not -200 e^-200.
    EXPECT_EQ(in_hardware(silu, -200.0F), 0.0F);
    EXPECT_TRUE(std::signbit(in_hardware(silu, -200.0F)));
    EXPECT_EQ(in_hardware(silu, infinity), infinity);
    EXPECT_TRUE(std::isnan(in_hardware(silu, -infinity)));
    EXPECT_EQ(in_hardware(sigmoid, infinity), 1.0F);
    EXPECT_EQ(in_hardware(sigmoid, -infinity), 0.0F);
    EXPECT_TRUE(std::isnan(in_hardware(silu, std::numeric_limits<float>::quiet_NaN())));
  }
}

// Whatever exponential within max_ulp a kernel has, and whatever quotient within
// division_max_ulp of the right one: its activation lies between the ends.
TEST(ActivationStep, TheEndsHoldEveryActivation) {
  constexpr int kUlp = 3;
  constexpr int kDivisionUlp = 1;
  const RandomStream random(2, "ends");
  std::size_t inside = 0;
  std::size_t at_an_end = 0;
  for (const Activation kind : {Activation::kSilu, Activation::kSigmoid}) {
    const ActivationStep step{.kind = kind, .max_ulp = kUlp, .division_max_ulp = kDivisionUlp};
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto g = static_cast<float>((random.uniform(i) - 0.5) * (i % 2 == 0 ? 20 : 200));
      const Code code = code_of(g);
      const auto magnitude = [](Code a) { return std::fabs(to_binary64(a)); };
      const double least = magnitude(exactly(step, code, kFp32, ActivationEnd::kLeast));
      const double greatest = magnitude(exactly(step, code, kFp32, ActivationEnd::kGreatest));
      const double emulated = magnitude(exactly(step, code, kFp32));
      ASSERT_LE(least, emulated);
      ASSERT_LE(emulated, greatest);
      for (int off = -kUlp; off <= kUlp; ++off) {
        for (int division = -kDivisionUlp; division <= kDivisionUlp; ++division) {
          const Code e = ExactMachine::moved(kExact.exponential(negated(code), kFp32), off);
          const Code sum = kExact.add(kExact.constant(1, kFp32), e, kFp32);
          const Code top = kind == Activation::kSilu ? code : kExact.constant(1, kFp32);
          const Code quotient = ExactMachine::moved(kExact.divide(top, sum, kFp32), division);
          ASSERT_LE(least, magnitude(quotient)) << g << ' ' << off << ' ' << division;
          ASSERT_LE(magnitude(quotient), greatest) << g << ' ' << off << ' ' << division;
          ++inside;
          at_an_end += magnitude(quotient) == least || magnitude(quotient) == greatest ? 1 : 0;
        }
      }
    }
  }
  // The ends are reached: they are no wider than they must be.
  EXPECT_GT(inside, 80000U);
  EXPECT_GT(at_an_end, 2U * 2U * 2000U - 1U);
}

// A known exponential leaves nothing open.
TEST(ActivationStep, AKnownExponentialHasNoEnds) {
  const ActivationStep step{.exponential = Exponential::kSleefU10};
  const Code g = code_of(1.25F);
  EXPECT_EQ(exactly(step, g, kFp32, ActivationEnd::kLeast).bits,
            exactly(step, g, kFp32, ActivationEnd::kGreatest).bits);
}

}  // namespace
}  // namespace normcert
