// The number of threads changes nothing: not the results, not their order, not the witnesses.
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

// 40 cases of different lengths, so that threads finish out of order; every third has an output.
VerifyRequest many_cases() {
  VerifyRequest request;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t rows = (i * 7) % 23 + 1;
    Case value = case_of(eighths(i % 2 == 0 ? kFp32 : kFp16, rows), "case-" + std::to_string(i));
    Rows got(rows, {"0.125", "0.875"});
    got[rows / 2] = {"0.126", i % 5 == 0 ? "nan" : "0.9"};
    const TensorView y = tensor_of(got, *value.output);
    request.cases.push_back(i % 3 == 0 ? judged(std::move(value), y) : judged(std::move(value)));
  }
  request.candidates = {rounded_as("one"), rounded_as("two")};
  request.mutants = {rounded_as("control")};
  request.criteria = within(1e-3, 1e-3);
  request.level = Level::kTolerance;
  return request;
}

std::string shown(const ErrorMaximum& m) {
  if (!m.any) return "none";
  return m.value.scientific(60) + "@" + std::to_string(m.witness.row) + "," +
         std::to_string(m.witness.index);
}

std::string shown(const VerifyOutcome& outcome) {
  std::ostringstream text;
  text << name_of(outcome.verdict) << "\n";
  for (const CaseSummary& s : outcome.cases)
    text << s.id << " " << s.rows << " " << s.q->max << "\n";
  for (const SubjectResult& r : outcome.results) {
    const Comparison& c = r.comparison;
    text << r.candidate << " " << name_of(r.role) << " " << r.case_index << " "
         << name_of(r.verdict) << " " << c.compared << " " << c.correctly_rounded << " "
         << c.outside_tolerance << " " << shown(c.absolute) << " " << shown(c.ulp) << "\n";
  }
  for (const Reason& r : outcome.reasons) text << r.code << " " << r.text << "\n";
  for (const MutantOutcome& m : outcome.mutants) text << m.name << m.rejected << m.by << "\n";
  return text.str();
}

TEST(VerifyThreads, TheSameOutcome) {
  VerifyRequest request = many_cases();
  complete(request);
  request.threads = 1;
  const std::string expected = shown(verify(request));
  EXPECT_TRUE(expected.starts_with("rejected\n")) << expected;
  for (const unsigned threads : {2U, 8U}) {
    request.threads = threads;
    EXPECT_EQ(shown(verify(request)), expected) << threads;
  }
}

TEST(VerifyThreads, ProgressCountsUpInOrder) {
  for (const unsigned threads : {1U, 8U}) {
    VerifyRequest request = many_cases();
    complete(request);
    request.threads = threads;
    std::uint64_t elements = 0;
    for (const JudgedCase& judged : request.cases) elements += judged.value.x.size();
    std::vector<std::uint64_t> done;
    static_cast<void>(verify(request, [&](std::uint64_t now, std::uint64_t all) {
      EXPECT_EQ(all, elements);
      done.push_back(now);
    }));
    ASSERT_EQ(done.size(), 40U);
    for (std::size_t i = 0; i < done.size(); ++i) {
      const std::uint64_t before = i == 0 ? 0 : done[i - 1];
      EXPECT_EQ(done[i], before + request.cases[i].value.x.size());
    }
  }
}

TEST(VerifyThreads, TheFirstFailureInOrderIsTheOneThatIsThrown) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    VerifyRequest request = many_cases();
    request.candidates = {{"fails", [](const Case& value) -> Outputs {
                             if (value.x.rows > 1) throw std::runtime_error(value.id);
                             return rounded_as("").outputs(value);
                           }}};
    complete(request);
    request.threads = threads;
    try {
      static_cast<void>(verify(request));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "case-1") << threads;
    }
  }
}

}  // namespace
}  // namespace normcert
