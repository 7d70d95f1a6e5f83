// Recipes as JSON: what is read, what is written, and what is refused with which words.
#include "catalogue/recipe_file.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "emulation/random_recipe.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

Recipe read(const std::string& members) {
  return read_recipe(JsonDocument::parse(
      "mine.json", R"({"schema": "normcert/recipe/1", "name": "mine")" + members + '}'));
}

std::string message_of(const std::string& members) {
  try {
    (void)read(members);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_message(const std::string& members, const std::string& part) {
  const std::string message = message_of(members);
  EXPECT_NE(message.find(part), std::string::npos) << members << "\n" << message;
}

TEST(RecipeFile, EveryParameterHasADefault) {
  const Recipe recipe = read("");
  EXPECT_EQ(recipe.name, "mine");
  EXPECT_EQ(recipe.version, 1);
  EXPECT_TRUE(differences(recipe, Recipe{}).empty());
}

TEST(RecipeFile, ReadsWhatIsWritten) {
  const Recipe recipe = read(R"(, "version": 3, "note": "a \"note\"", "source": "s",
    "confirmed_by": ["one", "two"], "would_confirm": "c",
    "statistic": {"kind": "partial", "fraction": 0.25, "group": 128, "square": "input",
                  "accumulate": "fp64", "mean": "multiply_reciprocal",
                  "order": {"kind": "lanes", "lanes": 16, "accumulators": 2, "tail": "first",
                            "combine": "pairs"}},
    "epsilon": {"position": "outside", "dtype": "input", "preset": "1e-8"},
    "root": {"kind": "divide_by_sqrt"}, "association": "(x/rms)*w", "cast": "after_weight",
    "weight": {"form": "offset+w", "offset_dtype": "weight"}, "residual": "unrounded",
    "output": "promote", "rounding": "truncate", "flush": "results", "gate": "before",
    "activation": {"kind": "silu", "form": "product", "exponential": "any", "max_ulp": 128,
                   "division_max_ulp": 2},
    "contract": [], "rsqrt_table": null)");
  EXPECT_EQ(recipe.rsqrt_table, std::nullopt);
  EXPECT_EQ(recipe.gate, GateMode::kBefore);
  EXPECT_EQ(recipe.activation.form, ActivationForm::kProduct);
  EXPECT_EQ(recipe.activation.max_ulp, 128);
  EXPECT_EQ(recipe.activation.division_max_ulp, 2);
  EXPECT_TRUE(recipe.contract.empty());
  EXPECT_EQ(recipe.version, 3);
  EXPECT_EQ(recipe.note, "a \"note\"");
  EXPECT_EQ(recipe.confirmed_by, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(recipe.statistic.kind, StatisticKind::kPartial);
  EXPECT_EQ(recipe.statistic.fraction, 0.25);
  EXPECT_EQ(recipe.statistic.group, 128);
  EXPECT_EQ(recipe.statistic.order.lanes, 16);
  EXPECT_EQ(recipe.statistic.order.accumulators, 2);
  EXPECT_EQ(recipe.statistic.order.tail, LaneTail::kFirst);
  EXPECT_EQ(recipe.statistic.order.combine, LaneCombine::kPairs);
  EXPECT_EQ(recipe.epsilon.preset, "1e-8");
  EXPECT_EQ(recipe.root.kind, RootKind::kDivideBySqrt);
  EXPECT_EQ(recipe.weight.form, WeightForm::kOffsetPlusW);
  EXPECT_EQ(recipe.residual, ResidualMode::kUnrounded);
  EXPECT_EQ(recipe.rounding, StoreRounding::kTruncate);
  EXPECT_EQ(recipe.flush, FlushMode::kResults);
}

TEST(RecipeFile, ReadsWhatADeviceDoes) {
  const Recipe recipe = read(R"(, "rsqrt_table": "sm_90", "contract": ["mean+epsilon"],
    "root": {"kind": "rsqrt_approx"}, "weight": {"bias": true},
    "statistic": {"mean": "multiply_reciprocal",
                  "order": {"kind": "triton", "threads": 128, "vector": 4, "fma": true}})");
  EXPECT_EQ(recipe.rsqrt_table, RsqrtTable::kSm90);
  EXPECT_EQ(recipe.contract, std::vector<Contraction>{Contraction::kMeanWithEpsilon});
  EXPECT_TRUE(recipe.weight.bias);
  EXPECT_EQ(recipe.statistic.order.kind, OrderKind::kTriton);
  EXPECT_EQ(recipe.statistic.order.threads, 128);
  EXPECT_EQ(recipe.statistic.order.vector, 4);
  EXPECT_TRUE(recipe.statistic.order.fma);
  const Recipe mean =
      read(R"(, "statistic": {"order": {"kind": "torch_cuda_mean", "threads": 64}})");
  EXPECT_EQ(mean.statistic.order.kind, OrderKind::kTorchCudaMean);
  EXPECT_EQ(mean.statistic.order.threads, 64);
  expect_message(R"(, "statistic": {"order": {"kind": "torch_cuda_mean"}})", "without \"threads\"");
  expect_message(R"(, "statistic": {"order": {"kind": "triton"}})", "without \"threads\"");
  expect_message(R"(, "rsqrt_table": "sm90")", R"(did you mean "sm_90"?)");
  expect_message(R"(, "contract": ["mean+epsilom"])", R"(did you mean "mean+epsilon"?)");
  expect_message(
      R"(, "statistic": {"order": {"kind": "torch_cuda_mean", "threads": 32, "vector": 4}})",
      "vector");
}

TEST(RecipeFile, CanonicalFormOfTheDefaults) {
  EXPECT_EQ(recipe_json(read("")), R"({
  "schema": "normcert/recipe/1",
  "name": "mine",
  "version": 1,
  "note": "",
  "source": "",
  "confirmed_by": [],
  "would_confirm": "",
  "convert_inputs": "none",
  "compute": "fp32",
  "before": "none",
  "statistic": {
    "kind": "mean_square",
    "group": null,
    "fraction": null,
    "square": "fp32",
    "accumulate": "fp32",
    "order": {"kind": "any", "depth": null},
    "mean": "divide"
  },
  "epsilon": {
    "position": "inside",
    "dtype": "fp32",
    "preset": null
  },
  "root": {
    "kind": "reciprocal_of_sqrt",
    "rounding": "once",
    "max_ulp": 2,
    "newton_steps": 0
  },
  "statistic_rounding": "none",
  "association": "(x*r)*w",
  "cast": "before_weight",
  "weight": {
    "form": "w",
    "offset_dtype": "fp32",
    "bias": false
  },
  "residual": "none",
  "gate": "none",
  "activation": {
    "kind": "silu",
    "form": "quotient",
    "exponential": "any",
    "max_ulp": 4,
    "division_max_ulp": 0
  },
  "output": "input",
  "rounding": "nearest_even",
  "flush": "none",
  "rsqrt_table": null,
  "contract": []
}
)");
}

TEST(RecipeFile, CanonicalFormReadsBackTheSame) {
  RandomRecipes draw(7);
  int read_back = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const Recipe recipe = draw.next();
    const std::string text = recipe_json(recipe);
    const JsonDocument document = JsonDocument::parse("random", text);
    if (find_conflict(recipe)) {
      EXPECT_THROW((void)read_recipe(document), InputError) << text;
      ++refused;
    } else {
      const Recipe again = read_recipe(document);
      EXPECT_TRUE(differences(recipe, again).empty()) << text;
      EXPECT_EQ(recipe_json(again), text);
      ++read_back;
    }
  }
  EXPECT_GT(read_back, 100);
  EXPECT_GT(refused, 100);
}

TEST(RecipeFile, TextsKeepTheirCharacters) {
  Recipe recipe = read("");
  recipe.note = "tab\t, quote \", backslash \\, \x01, \xC3\xA9";
  const Recipe again = read_recipe(JsonDocument::parse("again", recipe_json(recipe)));
  EXPECT_EQ(again.note, recipe.note);
}

TEST(RecipeFile, RefusesUnknownNamesWithTheNearest) {
  expect_message(R"(, "asociation": "(x*r)*w")",
                 R"(mine.json: asociation, line 1: found an unknown member "asociation")");
  expect_message(R"(, "asociation": "(x*r)*w")", R"(did you mean "association"?)");
  expect_message(R"(, "cast": "after_wait")",
                 R"(mine.json: cast, line 1: found "after_wait", expected one of before_weight, )");
  expect_message(R"(, "cast": "after_wait")", R"(did you mean "after_weight"?)");
  expect_message(R"(, "statistic": {"order": {"kind": "pairwize"}})",
                 R"(did you mean "pairwise"?)");
  expect_message(R"(, "epsilon": {"positon": "inside"})", R"(epsilon.positon)");
  expect_message(R"(, "weight": {"from": "w"})", R"(did you mean "form"?)");
  expect_message(R"(, "root": {"max_ulps": 1})", R"(did you mean "max_ulp"?)");
}

TEST(RecipeFile, RefusesMembersThatTheOrderDoesNotHave) {
  expect_message(R"(, "statistic": {"order": {"kind": "sequential", "lanes": 8}})",
                 R"(found an unknown member "lanes")");
  expect_message(R"(, "statistic": {"order": {"kind": "any", "base": 8}})", "base");
  expect_message(R"(, "statistic": {"order": {"lanes": 8}})", R"(a member "kind")");
  expect_message(R"(, "statistic": {"order": "sequential"})", "expected an object");
}

TEST(RecipeFile, RefusesValuesOutOfRange) {
  expect_message(R"(, "version": 0)", "expected an integer");
  expect_message(R"(, "statistic": {"group": 0})", "found 0");
  expect_message(R"(, "statistic": {"kind": "partial", "fraction": 1.5})", "above 0, at most 1");
  expect_message(R"(, "statistic": {"kind": "partial", "fraction": 0})", "above 0, at most 1");
  expect_message(R"(, "statistic": {"order": {"kind": "block_tree", "threads": 2048}})", "1024");
  expect_message(R"(, "root": {"kind": "rsqrt_approx", "newton_steps": 9})", "from 0 to 8");
  expect_message(R"(, "epsilon": {"preset": "zero"})", "epsilon.preset");
  expect_message(R"(, "epsilon": {"preset": "0"})", "epsilon.preset");
  expect_message(R"(, "cast": 3)", "expected a string");
}

TEST(RecipeFile, RefusesOtherSchemasAndNames) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)read_recipe(JsonDocument::parse("x", text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message(R"({"name": "a"})").find("schema"), std::string::npos);
  EXPECT_NE(message(R"({"schema": "normcert/recipe/2", "name": "a"})").find("recipe/1"),
            std::string::npos);
  EXPECT_NE(message(R"({"schema": "normcert/recipe/1"})").find("name"), std::string::npos);
  for (const std::string name : {"", "a b", "a*", "../a", "a\\n"}) {
    EXPECT_NE(message(R"({"schema": "normcert/recipe/1", "name": ")" + name + "\"}")
                  .find("letters, digits"),
              std::string::npos)
        << name;
  }
  EXPECT_NE(message(R"({"schema": "normcert/recipe/1", "name": "reference.rounded"})")
                .find("exact result"),
            std::string::npos);
  EXPECT_NE(message("[]").find("object"), std::string::npos);
}

struct Conflict {
  std::string members;
  std::string words;
};

// One for each rule of find_conflict().
const std::vector<Conflict>& conflicts() {
  static const std::vector<Conflict> kConflicts = {
      {R"(, "gate": "after", "compute": "fp64", "activation": {"exponential": "sleef_u10"})",
       "activation.exponential: sleef_u10 is not supported together with compute fp64"},
      {R"(, "gate": "after", "activation": {"exponential": "sleef_u10", "max_ulp": 3})",
       "activation.max_ulp: a value other than the default needs activation.exponential any"},
      {R"(, "gate": "after", "activation": {"exponential": "sleef_u10", "division_max_ulp": 1})",
       "activation.division_max_ulp: a value other than the default needs "
       "activation.exponential any"},
      {R"(, "gate": "before", "activation": {"kind": "sigmoid", "form": "factors"})",
       "activation.form: factors is not supported together with activation.kind sigmoid"},
      {R"(, "rsqrt_table": "sm_90")", "rsqrt_table: a table needs root.kind rsqrt_approx"},
      {R"(, "rsqrt_table": "sm_90", "root": {"kind": "rsqrt_approx", "max_ulp": 1})",
       "root.max_ulp: rsqrt_table sm_90 deviates by up to 2 ulp"},
      {R"(, "rsqrt_table": "sm_90", "root": {"kind": "rsqrt_approx"}, "compute": "fp64")",
       "rsqrt_table: sm_90 is not supported together with compute fp64"},
      {R"(, "contract": ["mean+epsilon", "mean+epsilon"])", "one of its names stands there twice"},
      {R"(, "contract": ["mean+epsilon"])",
       "contract: mean+epsilon is not supported together with statistic.mean divide"},
      {R"(, "contract": ["mean+epsilon"],
            "statistic": {"kind": "variance", "mean": "multiply_reciprocal"})",
       "contract: mean+epsilon is not supported together with statistic.kind variance"},
      {R"(, "contract": ["mean+epsilon"], "statistic": {"mean": "multiply_reciprocal"},
            "epsilon": {"position": "on_sum"})",
       "contract: mean+epsilon is not supported together with epsilon.position on_sum"},
      {R"(, "contract": ["mean+epsilon"], "statistic": {"mean": "multiply_reciprocal"},
            "statistic_rounding": "mean")",
       "contract: mean+epsilon is not supported together with statistic_rounding mean"},
      {R"(, "statistic": {"order": {"kind": "triton", "threads": 128, "vector": 3}})",
       "vectors of 3: triton needs a power of two"},
      {R"(, "statistic": {"order": {"kind": "torch_cuda_mean", "threads": 48}})",
       "48 threads: must be a power of two"},
      {R"(, "statistic": {"kind": "partial"})", "partial and a fraction need one another"},
      {R"(, "statistic": {"fraction": 0.5})", "partial and a fraction need one another"},
      {R"(, "statistic": {"kind": "sum_square", "mean": "multiply_reciprocal"})",
       "statistic.mean: multiply_reciprocal is not supported together with statistic.kind "
       "sum_square"},
      {R"(, "statistic": {"kind": "variance", "mean": "prescaled"})",
       "prescaled is not supported together with statistic.kind variance"},
      {R"(, "statistic": {"order": {"kind": "lanes", "lanes": 12}})", "must be a power of two"},
      {R"(, "statistic": {"order": {"kind": "torch_cascade", "lanes": 7}})", "an even number"},
      {R"(, "statistic": {"order": {"kind": "block_tree", "threads": 96}})",
       "96 threads: must be a power of two"},
      {R"(, "statistic": {"accumulate": "exact", "order": {"kind": "sequential"}})",
       "exact is not supported together with statistic.order sequential"},
      {R"(, "statistic": {"accumulate": "kahan", "order": {"kind": "pairwise"}})",
       "kahan is not supported together with statistic.order pairwise"},
      {R"(, "statistic": {"accumulate": "kahan", "order": {"kind": "sequential", "fma": true}})",
       "fma is not supported together with statistic.accumulate kahan"},
      {R"(, "statistic": {"square": "input", "order": {"kind": "sequential", "fma": true}})",
       "fma is not supported together with statistic.square input"},
      {R"(, "statistic": {"mean": "prescaled", "order": {"kind": "sequential", "fma": true}})",
       "fma is not supported together with statistic.mean prescaled"},
      {R"(, "statistic": {"kind": "variance"}, "epsilon": {"position": "clamp_rms_sqrt_n"})",
       "clamp_rms_sqrt_n is not supported together with statistic.kind variance"},
      {R"(, "statistic": {"mean": "prescaled"}, "epsilon": {"position": "clamp_rms_sqrt_n"})",
       "clamp_rms_sqrt_n is not supported together with statistic.mean prescaled"},
      {R"(, "statistic": {"kind": "sum_square"}, "epsilon": {"position": "on_sum"})",
       "on_sum is not supported together with statistic.kind sum_square"},
      {R"(, "statistic": {"mean": "prescaled"}, "epsilon": {"position": "on_sum"})",
       "on_sum is not supported together with statistic.mean prescaled"},
      {R"(, "statistic": {"kind": "variance"}, "epsilon": {"position": "scaled_by_max"})",
       "scaled_by_max is not supported together with statistic.kind variance"},
      {R"(, "before": "divide_by_max", "epsilon": {"position": "scaled_by_max"})",
       "scaled_by_max is not supported together with before divide_by_max"},
      {R"(, "association": "(x/rms)*w")",
       "association: (x/rms)*w is not supported together with root.kind reciprocal_of_sqrt"},
      {R"(, "root": {"kind": "divide_by_sqrt"})",
       "(x*r)*w is not supported together with root.kind divide_by_sqrt"},
      {R"(, "root": {"kind": "divide_by_sqrt"}, "association": "(x/rms)*w",
            "epsilon": {"position": "after_rsqrt"})",
       "after_rsqrt is not supported together with root.kind divide_by_sqrt"},
      {R"(, "root": {"kind": "rsqrt_correct"}, "epsilon": {"position": "outside"})",
       "outside is not supported together with root.kind rsqrt_correct"},
      {R"(, "root": {"kind": "rsqrt_correct", "rounding": "each_op"})",
       "each_op is not supported together with root.kind rsqrt_correct"},
      {R"(, "root": {"newton_steps": 1})", "a step needs root.kind rsqrt_approx"},
      {R"(, "root": {"max_ulp": 3})", "needs root.kind rsqrt_approx"},
      {R"(, "root": {"kind": "divide_by_sqrt"}, "association": "(x/rms)*w",
            "statistic_rounding": "rstd")",
       "rstd is not supported together with root.kind divide_by_sqrt"},
      {R"(, "root": {"kind": "rsqrt_correct"}, "statistic_rounding": "rms")",
       "rms is not supported together with root.kind rsqrt_correct"},
      {R"(, "association": "x*r")", "x*r is not supported together with weight.form w"},
      {R"-(, "association": "fma(x*r,w,x*r)")-", "needs weight.form 1+w"},
      {R"-(, "association": "x*(r*w)", "cast": "after_weight",
            "weight": {"form": "1+w", "offset_dtype": "exact"})-",
       "exact is not supported together with association x*(r*w)"},
      {R"(, "weight": {"offset_dtype": "weight"})",
       "weight.offset_dtype: weight is not supported together with weight.form w"},
      {R"(, "association": "(x*w)*r")",
       "cast: before_weight is not supported together with association (x*w)*r"},
      {R"(, "rounding": "truncate")",
       "rounding: truncate is not supported together with cast before_weight"},
      {R"(, "cast": "every_op", "compute": "fp64")",
       "compute: fp64 is not supported together with cast every_op"},
      {R"(, "cast": "every_op", "statistic_rounding": "rstd")",
       "rstd is not supported together with cast every_op"},
  };
  return kConflicts;
}

TEST(RecipeFile, RefusesWhatCannotBeEvaluated) {
  std::set<std::string> words;
  for (const Conflict& conflict : conflicts()) {
    expect_message(conflict.members, conflict.words);
    words.insert(conflict.words);
    try {
      (void)read(conflict.members);
      ADD_FAILURE() << conflict.members;
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, "recipe_conflict");
    }
  }
  EXPECT_GE(words.size(), conflicts().size() - 1);
}

// The place is that of the member, or of the object that should have it.
TEST(RecipeFile, ConflictsAreLocated) {
  expect_message(R"(,
 "epsilon": {
  "position": "on_sum"},
 "statistic": {"kind": "sum_square"})",
                 "mine.json: epsilon.position, line 3: ");
  expect_message(R"(,
 "root": {"kind": "divide_by_sqrt"})",
                 "mine.json: line 1: ");
}

}  // namespace
}  // namespace normcert
