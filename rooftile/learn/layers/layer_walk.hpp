// The sizes that a table of a network's layers leaves out: rows of op network_layer name each layer's kind, filters,
// window, stride and padding, but not its input, which follows from the layers before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/learn/layers/layer_complexity.hpp"

namespace rooftile {

// Walks through the layers of one network in one direction, in the order in which they run forward, from an image of
// three channels. Layers follow each other, except in modules: layers called "X/…" where the table has a concatenation
// called "X/…". There each convolution and pool reads the module's input, but "N" reads "N_reduce" and "N_proj" reads
// "N" where the module has that; the concatenation joins what no other layer reads. So Caffe's GoogLeNet names them.
// Convolutions round their positions down and pools up, as Caffe does.
class LayerWalk {
 public:
  // `modules`: the X of all concatenations of the network.
  LayerWalk(std::int64_t batch, std::int64_t image_size, std::vector<std::string> modules);

  // The next layer, from its columns layer, type, K, R, stride_h and pad_h. None for a layer without a formula, as a
  // concatenation. What is wrong with the row is an error of the row.
  std::optional<LayerComplexity> next(TableRow& row);

  // "X" of "X/…", up to the last slash; empty without one.
  static std::string_view module_of(std::string_view layer);

 private:
  struct Map {
    std::int64_t channels = 3, height = 1, width = 1;
  };

  void enter(std::string_view layer);
  Map input_of(const std::string& name);
  std::optional<LayerComplexity> window(TableRow& row, bool convolution, std::string_view layer);
  void concatenate(TableRow& row);
  void leave(const Map& output);
  double positions() const { return static_cast<double>(last_.height) * static_cast<double>(last_.width); }

  double batch_ = 1;
  std::vector<std::string> modules_;
  Map current_;  // the result outside of modules
  Map last_;     // of the layer before, for those that keep its size
  std::string module_;
  std::map<std::string, Map, std::less<>> branches_;  // what no layer of the module has read, by name
  std::map<std::string, Map, std::less<>> made_;      // all of them
};

}  // namespace rooftile
