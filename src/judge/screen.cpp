#include "judge/screen.hpp"

namespace normcert {

void ScreenCounts::add(const ScreenCounts& other) {
  correctly_rounded += other.correctly_rounded;
  faithful += other.faithful;
  below_normal += other.below_normal;
  outside += other.outside;
  unattainable += other.unattainable;
  beyond_max_ulp += other.beyond_max_ulp;
  code_distance.merge(other.code_distance);
}

}  // namespace normcert
