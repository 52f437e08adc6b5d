#include "rooftile/execution/cudnn_release.hpp"

#include <array>

#include "rooftile/execution/framework.hpp"

namespace rooftile {

std::pair<int, int> cudnn_release(std::string_view framework) {
  using Release = std::pair<int, int>;
  struct Step {
    Release pytorch, cudnn;
  };
  static constexpr std::array kSteps = {Step{{1, 12}, {8, 3}}, Step{{1, 13}, {8, 5}}, Step{{2, 1}, {8, 9}},
                                        Step{{2, 4}, {9, 1}}};
  const Release pytorch = pytorch_release(framework);
  if (pytorch == Release(0, 0)) return {0, 0};
  Release cudnn(8, 2);
  for (const Step& step : kSteps) {
    if (pytorch >= step.pytorch) cudnn = step.cudnn;
  }
  return cudnn;
}

}  // namespace rooftile
