// Measured kernels beside the predicted layers that they carry out.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "rooftile/roofline/measured.hpp"
#include "rooftile/roofline/view.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::roofline {

// What a kernel does, as far as its name or that of its op says.
enum class Work { unknown, conv, gemm, attention, recurrent, pool, normalize, softmax, elementwise, reduce, move };

// A transform, reduction or copy that a library runs before or after the kernel that does the work.
enum class Helper { none, before, after };

// By words of cuDNN's, cuBLAS's and PyTorch's kernels and ops.
struct KernelWork {
  Work work = Work::unknown;
  Helper helper = Helper::none;
};
KernelWork work_of(std::string_view op, std::string_view kernel_name);

// What a predicted layer offers to be recognised by.
struct LayerTraits {
  std::string_view name;
  Work work = Work::unknown;
  Shapes shapes;  // of its inputs, weights included
};

// One for each predicted kernel of the view, from the layers of that name; gradients have the shapes of their layer.
std::vector<LayerTraits> traits_of(const View& view, const Workload& workload);

// Joins the measured kernels of a view, whose shapes are given in their order, with its predicted ones: both as they
// run, each layer with the kernels that follow one another, by shapes where both have them, else by names, else by
// order alone. Fills matches and unmatched. Work that does not fit is never joined. Of a profile of several equal
// runs of the network the last is matched. Too large a profile (more than 2e8 pairs) stays unmatched, with a note.
void match(View& view, const std::vector<LayerTraits>& layers, const std::vector<Shapes>& shapes);

// A match of kernels of a view, with its ratios and its loss at the view's level.
Match make_match(const View& view, std::size_t predicted, std::vector<std::size_t> measured, std::string_view by);

// The largest loss first; matches without one count as none.
void sort_by_loss(std::vector<Match>& matches);

}  // namespace rooftile::roofline
