// Every kind of summation order, with parameters that give rows of some hundred elements all of its
// parts.
#pragma once

#include <vector>

#include "problem/recipe.hpp"

namespace normcert {

inline std::vector<SummationOrder> sample_orders() {
  std::vector<SummationOrder> orders;
  const auto add = [&orders](OrderKind kind, auto change) {
    orders.emplace_back().kind = kind;
    change(orders.back());
  };
  for (const OrderKind kind : {OrderKind::kSequential, OrderKind::kAny, OrderKind::kTorchCascade}) {
    add(kind, [](SummationOrder&) {});
  }
  for (const int base : {1, 600}) {
    add(OrderKind::kPairwise, [base](SummationOrder& order) { order.base = base; });
  }
  for (const int lanes : {2, 6}) {
    add(OrderKind::kTorchCascade, [lanes](SummationOrder& order) { order.lanes = lanes; });
  }
  add(OrderKind::kLanes, [](SummationOrder& order) {
    order.lanes = 16;
    order.accumulators = 4;
  });
  add(OrderKind::kLanes, [](SummationOrder& order) {
    order.lanes = 100;
    order.combine = LaneCombine::kSequential;
  });
  for (const int threads : {32, 1024}) {
    for (const int vector : {1, 3, 8}) {
      for (const bool per_element : {false, true}) {
        add(OrderKind::kBlockTree, [&](SummationOrder& order) {
          order.threads = threads;
          order.vector = vector;
          order.per_element = per_element;
          order.across = per_element ? AcrossWarps::kSequential : AcrossWarps::kXor;
        });
      }
    }
  }
  for (const int threads : {32, 128, 1024}) {
    add(OrderKind::kTorchCudaMean, [&](SummationOrder& order) { order.threads = threads; });
    for (const int vector : {1, 2, 4, 8, 16}) {
      add(OrderKind::kTriton, [&](SummationOrder& order) {
        order.threads = threads;
        order.vector = vector;
      });
    }
  }
  const std::size_t rounded = orders.size();
  for (std::size_t i = 0; i < rounded; ++i) {
    if (!has_fma(orders[i].kind)) continue;
    orders.push_back(orders[i]);
    orders.back().fma = true;
  }
  return orders;
}

}  // namespace normcert
